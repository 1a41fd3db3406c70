// @ts-check
/** Shapes of values, above all of those that a state is made of. */
import { is, wrongMember } from "../loopstone.js";

/** @import * as kit from "../loopstone.js" */

/** @template T @typedef {(value: unknown) => value is T} Shape */

/** @type {Shape<string>} */
export const text = (value) => is("string", value);

/** @type {Shape<boolean>} */
export const flag = (value) => is("boolean", value);

/** An event of the protocol; fills in its defaults. @type {Shape<kit.Event>} */
export const isEvent = /** @type {any} */ ((/** @type {unknown} */ value) => wrongMember(value) === undefined);

/** An integer that JSON keeps exactly. @param {number} least @returns {Shape<number>} */
export const whole = (least) =>
  /** @type {Shape<number>} */ ((value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= least);

/** @template T @param {Shape<T>} shape @returns {Shape<T | null>} */
export const orNull = (shape) => /** @type {Shape<T | null>} */ ((value) => value === null || shape(value));

/** @template T @param {Shape<T>} shape @returns {Shape<T[]>} */
export const listOf = (shape) => /** @type {Shape<T[]>} */ ((value) => Array.isArray(value) && value.every(shape));

/**
 * An object with exactly these members.
 * @template {Record<string, Shape<any>>} T @param {T} shapes
 * @returns {Shape<{[Name in keyof T]: T[Name] extends Shape<infer U> ? U : never}>}
 */
export const exactly = (shapes) =>
  /** @type {any} */ (
    (/** @type {unknown} */ value) =>
      is("object", value) &&
      Object.keys(value).every((name) => Object.hasOwn(shapes, name)) &&
      Object.entries(shapes).every(([name, shape]) => Object.hasOwn(value, name) && shape(value[name]))
  );
