// @ts-check
/** All nine detectors in one adapter. */
import { serve } from "../loopstone.js";
import { Composed } from "./composed.js";
import { Crow } from "./crow.js";
import { Fingerprint } from "./fingerprint.js";
import { Guards } from "./guards.js";
import { History } from "./history.js";
import { Ralph } from "./ralph.js";
import { Signature } from "./signature.js";
import { Stream } from "./stream.js";
import { Swarm } from "./swarm.js";

const detectors = [Fingerprint, Signature, History, Crow, Swarm, Ralph, Guards, Composed, Stream];
serve("loopstone-javascript", "1.0.0", ...detectors);
