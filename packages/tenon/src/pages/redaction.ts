/**
 * Takes the secrets that a handler has read out of what leaves its server, in case the handler writes one into a result, a message or an
 * error by mistake.
 *
 * Security: it finds a secret unchanged, not what a handler makes of it, such as Base64. Secrets of up to 5 characters stay: they are
 * in other texts too.
 */
import type { Outbound } from "../dispatch/dispatcher.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

const SHORTEST = 6;
/** What stands in the place of a secret. */
const MARK = "[secret]";
/** How many causes of an error are cleaned. */
const MAX_CAUSES = 8;

/** Returns a value without secrets: itself if it has none. */
export type Clean = <T>(value: T) => T;

/** @param secrets undefined if there is nothing to look for */
export function cleaner(secrets: ReadonlySet<string> | undefined): Clean {
  const known = [...(secrets ?? [])].filter((secret) => secret.length >= SHORTEST).toSorted((one, other) => other.length - one.length);
  if (known.length === 0) return (value) => value;
  const cleanText = (text: string): string => known.reduce((clean, secret) => clean.replaceAll(secret, MARK), text);
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return cleanText(value);
    if (Array.isArray(value)) {
      const items = value.map(clean);
      return items.some((item, at) => item !== value[at]) ? items : (value as unknown);
    }
    if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
    const entries = Object.entries(value).map(([key, member]) => [cleanText(key), clean(member)] as const);
    const isClean = Object.keys(value).every((key, at) => entries[at]![0] === key && entries[at]![1] === value[key]);
    return isClean ? value : Object.fromEntries(entries);
  };
  return (value) => clean(value) as typeof value; // JSON with other texts
}

/** Takes secrets out of an error, its own members and its causes, in place: an operator who reads the error must not see them. */
export function cleanError(error: unknown, clean: Clean): void {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < MAX_CAUSES; cause = cause.cause, depth++) {
    for (const key of new Set(["message", "stack", ...Object.keys(cause)])) {
      const value: unknown = Reflect.get(cause, key);
      const cleaned = clean(value);
      if (cleaned !== value) Reflect.defineProperty(cause, key, { value: cleaned, configurable: true, writable: true });
    }
  }
}

/** A channel that sends nothing with a secret. @param clean finds the secrets that are known when something is sent */
export function cleanOutbound(outbound: Outbound, clean: () => Clean): Outbound {
  const cleaned = (params: JsonObject | undefined): JsonObject | undefined => params && clean()(params);
  return {
    request: (method, params, options) => outbound.request(method, cleaned(params), options),
    notify: (method, params) => outbound.notify(method, cleaned(params)),
  };
}
