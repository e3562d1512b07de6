/**
 * Takes the secrets that a handler has read out of what leaves its server, in case the handler writes one into a result, a message or an
 * error by mistake.
 *
 * Security: it finds a secret unchanged and as JSON writes it, not what a handler makes of it, such as Base64. Secrets of up to 5 characters stay: they are
 * in other texts too.
 */
import type { Outbound } from "../dispatch/dispatcher.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

const SHORTEST = 6;
/** What stands in the place of a secret. */
const MARK = "[secret]";
/** How deep the errors in an error are cleaned. */
const MAX_CAUSES = 8;

/** Returns a value without secrets: itself if it has none. */
export type Clean = <T>(value: T) => T;

/** @param secrets undefined if there is nothing to look for */
export function cleaner(secrets: ReadonlySet<string> | undefined): Clean {
  const known = [...(secrets ?? [])].filter((secret) => secret.length >= SHORTEST).flatMap((secret) => [secret, inJson(secret)]);
  if (known.length === 0) return (value) => value;
  const longest = [...new Set(known)].toSorted((one, other) => other.length - one.length);
  const cleanText = (text: string): string => longest.reduce((clean, secret) => clean.replaceAll(secret, MARK), text);
  return (value) => cleanValue(value, cleanText) as typeof value; // JSON with other texts
}

/** A secret as it stands inside of a text that is JSON, such as the text of structured content. */
function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

type CleanText = (text: string) => string;

function cleanValue(value: unknown, cleanText: CleanText): unknown {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => cleanValue(item, cleanText));
    return items.some((item, at) => item !== value[at]) ? items : (value as unknown);
  }
  return isPlain(value) ? cleanMembers(value, cleanText) : cleanObject(value, cleanText);
}

function isPlain(value: object): value is JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}

function cleanMembers(value: JsonObject, cleanText: CleanText): JsonObject {
  const entries = Object.entries(value).map(([key, member]) => [cleanText(key), cleanValue(member, cleanText)] as const);
  const isClean = Object.keys(value).every((key, at) => entries[at]![0] === key && entries[at]![1] === value[key]);
  return isClean ? value : Object.fromEntries(entries);
}

/** An object of a class is sent as its JSON says, so that is what is looked through. */
function cleanObject(value: object, cleanText: CleanText): unknown {
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    const cleaned = cleanValue(json, cleanText);
    return cleaned === json ? value : cleaned;
  } catch {
    return value; // it has no JSON form, so it cannot be sent
  }
}

/**
 * Takes secrets out of what a handler throws, because an operator who reads it must not see them: out of an error's own members, the errors
 * in them and its causes in place, out of any other value in a copy. Returns what is thrown in its place.
 */
export function cleanThrown(thrown: unknown, clean: Clean, depth = 0): unknown {
  if (!(thrown instanceof Error)) return clean(thrown);
  if (depth >= MAX_CAUSES) return thrown;
  for (const key of new Set(["message", "stack", "cause", "errors", ...Object.keys(thrown)])) {
    if (!Object.hasOwn(thrown, key)) continue;
    const value: unknown = Reflect.get(thrown, key);
    const cleaned = Array.isArray(value) ? value.map((one) => cleanThrown(one, clean, depth + 1)) : cleanThrown(value, clean, depth + 1);
    if (!isSameValue(cleaned, value)) Reflect.defineProperty(thrown, key, { value: cleaned, configurable: true, writable: true });
  }
  return thrown;
}

function isSameValue(cleaned: unknown, value: unknown): boolean {
  if (!Array.isArray(cleaned) || !Array.isArray(value)) return cleaned === value;
  return cleaned.every((one, at) => one === value[at]);
}

/** A channel that sends nothing with a secret. @param clean finds the secrets that are known when something is sent */
export function cleanOutbound(outbound: Outbound, clean: () => Clean): Outbound {
  const cleaned = (params: JsonObject | undefined): JsonObject | undefined => params && clean()(params);
  return {
    request: (method, params, options) => outbound.request(method, cleaned(params), options),
    notify: (method, params) => outbound.notify(method, cleaned(params)),
  };
}
