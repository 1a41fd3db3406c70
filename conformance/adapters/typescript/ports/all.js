// @ts-check
/** All seven detectors in one adapter. */
import { serve } from "../loopstone.js";
import { Crow } from "./crow.js";
import { Fingerprint } from "./fingerprint.js";
import { Guards } from "./guards.js";
import { History } from "./history.js";
import { Ralph } from "./ralph.js";
import { Signature } from "./signature.js";
import { Swarm } from "./swarm.js";

serve("loopstone-javascript", "1.0.0", Fingerprint, Signature, History, Crow, Swarm, Ralph, Guards);
