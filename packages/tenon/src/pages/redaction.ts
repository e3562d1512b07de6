/**
 * Takes the secrets that a handler has read out of what leaves its server, in case the handler writes one into a result, a message or an
 * error by mistake.
 *
 * Security: it finds the forms of `formsOf`, not what else a handler makes of a secret, such as a part of it.
 */
import type { Outbound } from "../dispatch/dispatcher.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** What stands in the place of a secret. */
const MARK = "[secret]";
/** How deep the errors in an error are cleaned. */
const MAX_CAUSES = 8;

/** Returns a value without secrets: itself if it has none. */
export type Clean = <T>(value: T) => T;

/** @param forms of each secret the texts to look for; undefined if there is nothing to look for */
export function cleaner(forms: Iterable<readonly string[]> | undefined): Clean {
  const known = [...new Set([...(forms ?? [])].flat())].toSorted((one, other) => other.length - one.length);
  if (known.length === 0) return (value) => value;
  const cleanText = (text: string): string => known.reduce((clean, form) => clean.replaceAll(form, MARK), text);
  return (value) => cleanValue(value, { cleanText, above: new Set() }) as typeof value; // JSON with other texts
}

interface Cleaning {
  readonly cleanText: (text: string) => string;
  /** What contains the value: JSON has no circles. */
  readonly above: Set<object>;
}

function cleanValue(value: unknown, cleaning: Cleaning): unknown {
  const { cleanText, above } = cleaning;
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || above.has(value)) return value;
  above.add(value);
  const cleaned = Array.isArray(value)
    ? cleanItems(value, cleaning)
    : isPlain(value)
      ? cleanMembers(value, cleaning)
      : cleanObject(value, cleaning);
  above.delete(value);
  return cleaned;
}

function cleanItems(value: readonly unknown[], cleaning: Cleaning): unknown {
  const items = value.map((item) => cleanValue(item, cleaning));
  return items.some((item, at) => item !== value[at]) ? items : value;
}

function isPlain(value: object): value is JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !("toJSON" in value);
}

function cleanMembers(value: JsonObject, cleaning: Cleaning): JsonObject {
  const entries = Object.entries(value).map(([key, member]) => [cleaning.cleanText(key), cleanValue(member, cleaning)] as const);
  const isClean = Object.keys(value).every((key, at) => entries[at]![0] === key && entries[at]![1] === value[key]);
  return isClean ? value : Object.fromEntries(entries);
}

/** An object of a class is sent as its JSON says, so that is what is looked through. */
function cleanObject(value: object, cleaning: Cleaning): unknown {
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    const cleaned = cleanValue(json, cleaning);
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
