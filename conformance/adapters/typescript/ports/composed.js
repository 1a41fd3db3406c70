// @ts-check
/** The detector composed (CO): the file for one's own agent, as a port. */
import { Refused, isMain, serve } from "../loopstone.js";
import { ConfigError, LoopDetector } from "../composed.js";

/** @import * as kit from "../loopstone.js" */

/** @implements {kit.Detector} */
export class Composed extends LoopDetector {
  static detector = "composed";
  static readings = /** @type {const} */ (["code"]);
  static features = ["evidence", "replies"];

  /** @param {kit.Reading} _reading @param {kit.JsonObject} config */
  constructor(_reading, { rules, ...others }) {
    try {
      super(rules);
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      throw new Refused("invalid_config", { field: "rules" }, problem.message);
    }
    for (const field of Object.keys(others)) throw new Refused("invalid_config", { field });
  }
}

if (isMain(import.meta.url)) serve("loopstone-javascript-composed", "1.0.0", Composed);
