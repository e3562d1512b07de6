/**
 * Converts `--arg name=value` to the arguments of a tool or a prompt, by their schema.
 *
 * It checks only single arguments that a user types. The server checks the arguments as a whole, and `--args` is passed on
 * unchecked. Numbers are sent with the digits that were typed, also if JavaScript cannot hold them.
 */
import { exactText, isJsonObject, NumberText, parseExact, textChoicesOf, typesOf } from "tenon/internal";
import type { JsonObject, PromptArgument } from "tenon";
import { UsageError } from "../failure.ts";
import { didYouMean } from "../typing-mistakes.ts";

/** Parses `["a=1"]` into names and texts. @throws UsageError if one has no `=`, or if a name is given twice */
export function parsePairs(pairs: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`--arg ${JSON.stringify(pair)} has no value: write --arg name=value.`);
    const name = pair.slice(0, at);
    if (texts.has(name)) throw new UsageError(`--arg ${name} is given twice. A list is written as JSON: --arg '${name}=["a","b"]'.`);
    texts.set(name, pair.slice(at + 1));
  }
  return texts;
}

/** Parses `--args`. @throws UsageError if it is not a JSON object */
export function parseArgs(json: string): JsonObject {
  let value: unknown;
  try {
    value = parseExact(json.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new UsageError(`--args is not JSON: ${json}`, { cause });
  }
  if (!isJsonObject(value)) throw new UsageError(`--args must be a JSON object such as '{"a":1}', not ${json}`);
  return value;
}

/**
 * The arguments for a tool.
 * @param json the value of `--args`; then missing arguments are allowed, to test the tool
 * @throws UsageError that names the argument and its type
 */
export function toToolArguments(schema: JsonObject, pairs: readonly string[], json?: string): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties);
  const args = json === undefined ? [] : exactEntries(parseArgs(json));
  for (const [name, text] of parsePairs(pairs)) {
    if (!Object.hasOwn(properties, name) && isClosed(schema, names)) throw unknownArgument(name, names);
    assertChoice(name, text, textChoicesOf(properties[name], schema));
    args.push([name, readValue(name, text, typesOf(properties[name], schema))]);
  }
  const filled = new Set(args.map(([name]) => name));
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [];
  if (json === undefined)
    for (const name of required) if (!filled.has(name)) throw missingArgument(name, typesOf(properties[name], schema));
  return Object.fromEntries(args);
}

/** The members of an object; a number that JavaScript cannot hold as its text. */
function exactEntries(object: JsonObject): [string, unknown][] {
  return Object.entries(object).map(([name, value]) => {
    const text = exactText(object, name);
    return [name, text === undefined ? value : new NumberText(text)];
  });
}

/** The arguments for a prompt, which are all text. @throws UsageError */
export function toPromptArguments(declared: readonly PromptArgument[], pairs: readonly string[]): { [name: string]: string } {
  const names = declared.map(({ name }) => name);
  const texts = parsePairs(pairs);
  for (const name of texts.keys()) if (!names.includes(name)) throw unknownArgument(name, names);
  for (const { name, required } of declared) if (required === true && !texts.has(name)) throw missingArgument(name, ["string"]);
  return Object.fromEntries(texts);
}

/** Whether a schema lists all its arguments. Most schemas do without declaring it, so an unlisted name is probably a typing mistake. */
function isClosed(schema: JsonObject, names: readonly string[]): boolean {
  const { additionalProperties, patternProperties } = schema;
  if (patternProperties !== undefined) return false;
  return additionalProperties === false || (additionalProperties === undefined && names.length > 0);
}

function unknownArgument(name: string, names: readonly string[]): UsageError {
  const [owner, ...members] = name.split(".");
  if (names.includes(owner!) && members.length > 0)
    return new UsageError(`Argument "${owner}" is written as JSON, with its members: --arg '${owner}={"${members[0]}": …}'`);
  const known = names.length === 0 ? "It takes none." : `It takes ${names.join(", ")}.`;
  return new UsageError(`Unknown argument ${JSON.stringify(name)}.${didYouMean(name, names)} ${known}`);
}

function missingArgument(name: string, types: readonly string[]): UsageError {
  return new UsageError(`Argument "${name}" is missing (${describeTypes(types)}): add --arg ${name}=…`);
}

function describeTypes(types: readonly string[]): string {
  return types.length === 0 ? "any value" : types.join(" or ");
}

/** Readers from the narrowest to the widest type. A text is read as the first type that matches. */
const READERS: readonly [type: string, read: (text: string) => unknown][] = [
  ["null", (text) => (text === "null" ? null : undefined)],
  ["boolean", (text) => (text === "true" ? true : text === "false" ? false : undefined)],
  ["integer", (text) => readNumber(text, Number.isInteger)],
  ["number", (text) => readNumber(text, Number.isFinite)],
  ["array", (text) => readJson(text, Array.isArray)],
  ["object", (text) => readJson(text, isJsonObject)],
  ["string", (text) => text],
];

function assertChoice(name: string, text: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(text)) return;
  const all = choices.map((choice) => JSON.stringify(choice));
  throw new UsageError(`Argument "${name}" must be ${all.join(" or ")}, not ${JSON.stringify(text)}.${didYouMean(text, choices)}`);
}

function readValue(name: string, text: string, types: readonly string[]): unknown {
  for (const [type, read] of READERS) {
    if (types.length > 0 && !types.includes(type)) continue;
    const value = read(text);
    if (value !== undefined) return value;
  }
  const hint = types.includes("array") || types.includes("object") ? ", written as JSON" : "";
  throw new UsageError(`Argument "${name}" must be ${describeTypes(types)}${hint}, not ${JSON.stringify(text)}.`);
}

/** A number as JSON writes it: 007, +49, 0x1f and 1. are texts. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function readNumber(text: string, fits: (value: number) => boolean): number | NumberText | undefined {
  const value = Number(text);
  if (!NUMBER.test(text) || !fits(value)) return undefined;
  return /\d{16}/.test(text) && String(value) !== text ? new NumberText(text) : value;
}

function readJson(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value = parseExact(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
