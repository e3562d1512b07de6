/**
 * Replaces parts of audit records: members by their paths, and texts by patterns.
 *
 * Security: paths are judged before patterns, and a record is copied, so that what clients and servers get is never changed.
 */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { isSameJson } from "../../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

/** What is replaced by `[redacted]`. */
export interface Redact {
  /**
   * Paths of members that begin with `params` or `result`: `params.arguments.password`. `*` is one member or one item of a list, and `**` any number of
   * them: `params.arguments.**.token`. A path to what `name` repeats, such as `params.uri`, replaces `name` too. What a path takes out of
   * `result.structuredContent` is also taken out of a text that repeats it as JSON.
   */
  readonly paths?: readonly string[];
  /** What is replaced in all texts and numbers of the params and the result, in keys too, and in `name`: `/\\d{16}/`. Each match is replaced, with and without the flag `g`. */
  readonly patterns?: readonly RegExp[];
}

const REDACTED = "[redacted]";
/** Most segments of a path. */
const MAX_SEGMENTS = 32;

type Path = readonly string[];

interface Redactable {
  readonly name?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
}

/** @throws TypeError if a path or a pattern is wrong. The result gets a record, and the path of the member that its `name` repeats. */
export function redaction(redact: Redact = {}): <R extends Redactable>(record: R, named: Path) => R {
  assertShape(redact);
  const { paths = [], patterns = [] } = redact;
  const parsed = paths.map((path) => parsePath(path));
  const wrong = patterns.find((pattern) => !(pattern instanceof RegExp));
  if (wrong !== undefined) throw new TypeError(`Option "redact.patterns" must hold regular expressions, not ${JSON.stringify(wrong)}`);
  if (parsed.length === 0 && patterns.length === 0) return (record) => record;
  const all = patterns.map(
    ({ source, flags }) => new RegExp(source, flags.includes("g") ? flags.replace("y", "") : `${flags.replace("y", "")}g`),
  );
  const textOf = (text: string): string => all.reduce((rest, pattern) => rest.replace(pattern, REDACTED), text);
  return (record, named) => {
    const { params, result, name } = record;
    return {
      ...record,
      ...(name !== undefined && { name: isBelow(parsed, named) ? REDACTED : textOf(name) }),
      ...(params !== undefined && { params: copyOf(params, below(parsed, "params"), textOf) as JsonObject }), // an object stays one
      ...(result !== undefined && { result: resultOf(result, below(parsed, "result"), textOf) }),
    };
  };
}

/** Whether a path leads to a member, or to one that it is in. */
function isBelow(paths: readonly Path[], [key, ...rest]: Path): boolean {
  if (paths.some((path) => path.length === 0)) return true;
  return key !== undefined && isBelow(below(paths, key), rest);
}

/** A tool repeats its structured result as the JSON of a text, for older clients: no path leads into that. */
function resultOf(result: JsonObject, paths: readonly Path[], textOf: (text: string) => string): JsonObject {
  const copy = copyOf(result, paths, textOf) as JsonObject; // an object stays one
  const { structuredContent, content } = result;
  const blocks = copy["content"];
  if (structuredContent === undefined || !Array.isArray(content) || !Array.isArray(blocks)) return copy;
  const text = JSON.stringify(copy["structuredContent"]);
  if (text === JSON.stringify(structuredContent)) return copy;
  const repeats = (block: unknown): boolean => isJsonObject(block) && isSameJson(jsonIn(String(block["text"])), structuredContent);
  return {
    ...copy,
    content: blocks.map((block: unknown, at) => (repeats(content[at]) && isJsonObject(block) ? { ...block, text } : block)),
  };
}

/** A list in the place of the object would take nothing out, unnoticed. @throws TypeError */
function assertShape(redact: Redact): void {
  if (typeof redact !== "object" || redact === null || Array.isArray(redact))
    throw new TypeError('Option "redact" is an object: { paths: ["params.arguments.password"], patterns: [/\\d{16}/] }');
  for (const key of ["paths", "patterns"] as const)
    if (redact[key] !== undefined && !Array.isArray(redact[key])) throw new TypeError(`Option "redact.${key}" must be a list`);
}

function parsePath(path: string): Path {
  const segments = typeof path === "string" ? path.split(".") : [];
  const [first] = segments;
  if (segments.length < 2 || segments.length > MAX_SEGMENTS || segments.includes("") || (first !== "params" && first !== "result"))
    throw new TypeError(
      `Option "redact.paths" holds paths of members such as "params.arguments.password" or "result.**.token", not ${JSON.stringify(path)}`,
    );
  return segments;
}

/** What is left of paths below a member. A path with no segments left has arrived. */
function below(paths: readonly Path[], key: string): readonly Path[] {
  return paths.flatMap((path) => {
    const [first, ...rest] = path;
    if (first === "**") return [path, ...below([rest], key)];
    return first === "*" || first === key ? [rest] : [];
  });
}

function copyOf(value: unknown, paths: readonly Path[], textOf: (text: string) => string): unknown {
  if (paths.some((path) => path.length === 0)) return REDACTED;
  if (typeof value === "string") return textOf(value);
  if (typeof value === "number") return numberOf(value, textOf);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => copyOf(item, below(paths, String(at)), textOf));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [textOf(key), copyOf(item, below(paths, key), textOf)]));
}

/** A number that a pattern fits becomes a text: a card number may be written as a number. */
function numberOf(value: number, textOf: (text: string) => string): unknown {
  const [text, seen] = [String(value), textOf(String(value))];
  return seen === text ? value : seen;
}
