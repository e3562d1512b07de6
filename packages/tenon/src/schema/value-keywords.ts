/** Keywords about a value itself: its type, being one of a list, and the bounds of numbers and strings. */
import { isSameJson } from "../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import { counted, testPattern, toCount, toList, toNumber, type Keyword, type KeywordEntry } from "./keyword.ts";
import type { Check } from "./run.ts";

export const TYPE_TESTS: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number" && Number.isFinite(value)],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", isJsonObject],
]);

export function isOfType(value: unknown, type: unknown): boolean {
  return TYPE_TESTS.get(type)?.(value) === true;
}

export function namesType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

const type: Keyword = (argument, site) => {
  const names = Array.isArray(argument) ? argument : [argument];
  const tests = names.map((name) => {
    const test = TYPE_TESTS.get(name);
    if (test === undefined) throw new InvalidSchemaError(`${JSON.stringify(name)} is not a type`, `${site.where}/type`);
    return test;
  });
  const message = `must be ${names.join(" or ")}`;
  const [first] = tests;
  if (first !== undefined && tests.length === 1) return (value, run) => first(value) || run.fail(message);
  return (value, run) => tests.some((test) => test(value)) || run.fail(message);
};

const enumeration: Keyword = (argument, site) => {
  const list = toList(argument, site, "enum");
  const scalars = new Set(list);
  const compound = list.filter((each) => typeof each === "object" && each !== null);
  return (value, run) =>
    scalars.has(value) || compound.some((each) => isSameJson(value, each, run)) || run.fail("must be one of the values of the enum");
};

const constant: Keyword = (argument) => (value, run) => isSameJson(value, argument, run) || run.fail("must be the constant value");

function onNumber(test: (value: number) => boolean, message: string): Check {
  return (value, run) => typeof value !== "number" || test(value) || run.fail(message);
}

const maximum: Keyword = (argument, site) => {
  const limit = toNumber(argument, site, "maximum");
  return onNumber((value) => value <= limit, `must be <= ${limit}`);
};

const minimum: Keyword = (argument, site) => {
  const limit = toNumber(argument, site, "minimum");
  return onNumber((value) => value >= limit, `must be >= ${limit}`);
};

const exclusiveMaximum: Keyword = (argument, site) => {
  const limit = toNumber(argument, site, "exclusiveMaximum");
  return onNumber((value) => value < limit, `must be < ${limit}`);
};

const exclusiveMinimum: Keyword = (argument, site) => {
  const limit = toNumber(argument, site, "exclusiveMinimum");
  return onNumber((value) => value > limit, `must be > ${limit}`);
};

const multipleOf: Keyword = (argument, site) => {
  const divisor = toNumber(argument, site, "multipleOf");
  if (divisor <= 0) throw new InvalidSchemaError("must be greater than 0", `${site.where}/multipleOf`);
  return onNumber((value) => isMultiple(value, divisor), `must be a multiple of ${divisor}`);
};

/** Decimal fractions are not exact in binary: 0.3 is a multiple of 0.1, up to the rounding of the division. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  const nearest = Math.round(quotient);
  return Number.isFinite(quotient) && Math.abs(quotient - nearest) <= Math.abs(nearest) * Number.EPSILON * 2;
}

/** Whether a text has at least `count` code points; stops counting there. */
function hasCodePoints(text: string, count: number): boolean {
  if (text.length < count) return false;
  if (text.length >= count * 2) return true;
  let points = 0;
  for (let i = 0; i < text.length && points < count; points++) i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  return points >= count;
}

const maxLength: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "maxLength");
  return (value, run) =>
    typeof value !== "string" || !hasCodePoints(value, limit + 1) || run.fail(`must have at most ${counted(limit, "character")}`);
};

const minLength: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "minLength");
  return (value, run) =>
    typeof value !== "string" || hasCodePoints(value, limit) || run.fail(`must have at least ${counted(limit, "character")}`);
};

const pattern: Keyword = (argument, site) => {
  if (typeof argument !== "string") throw new InvalidSchemaError("must be a string", `${site.where}/pattern`);
  const compiled = site.pattern(argument, "pattern");
  return (value, run) => typeof value !== "string" || testPattern(compiled, value, run) || run.fail(`must match the pattern ${argument}`);
};

export const valueKeywords: Readonly<Record<string, KeywordEntry>> = {
  type: [6, 2020, type],
  enum: [6, 2020, enumeration],
  const: [6, 2020, constant],
  maximum: [6, 2020, maximum],
  minimum: [6, 2020, minimum],
  exclusiveMaximum: [6, 2020, exclusiveMaximum],
  exclusiveMinimum: [6, 2020, exclusiveMinimum],
  multipleOf: [6, 2020, multipleOf],
  maxLength: [6, 2020, maxLength],
  minLength: [6, 2020, minLength],
  pattern: [6, 2020, pattern],
};
