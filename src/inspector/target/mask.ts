/** Leaves out the secrets of a message of another client: values whose names say that they are secret, and tokens after `Bearer`. */
import { isJsonObject } from "../../jsonrpc/message.ts";

/** Names whose values are secret. A progress token is none. */
const NAME = /pass(?:word|phrase|code)|secret|api.?key|credential|authorization|cookie|private.?key|(?<!progress)tokens?$/i;
const BEARER = /\bBearer\s+[\w.~+/=-]+/gi;
const LEFT_OUT = "(left out)";

/** A copy of a JSON value without its secrets. Schemas stay whole: only texts and numbers are left out. */
export function masked<T>(value: T): T {
  return copyOf(value, false) as T; // only texts and numbers have changed
}

function copyOf(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? LEFT_OUT : value.replace(BEARER, `Bearer ${LEFT_OUT}`);
  if (typeof value === "number") return isSecret ? LEFT_OUT : value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item, isSecret));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one, NAME.test(name) && name !== "maxTokens")]));
}
