/**
 * A question to the client, whatever it travels in: what the client must be able to do for it, and the text it is
 * recognised by when its answer comes back.
 */
import type { MaybePromise } from "../../jsonrpc/maybe-promise.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, SamplingCapability } from "../../protocol/capabilities.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { toBase64Url } from "./base64url.ts";

/** Questions up to this many characters are kept as they are, longer ones as a digest. */
const SHORT = 256;

/** What the client must have declared for a question (H4, L1.1, L2.1). `sampling.context` is asked for only where `strict`. */
export function needsOf(question: InputRequest, strict: boolean): ClientCapabilities {
  if (question.method === "roots/list") return { roots: {} };
  if (question.method === "elicitation/create") return { elicitation: question.params.mode === "url" ? { url: {} } : { form: {} } };
  const { tools, toolChoice, includeContext = "none" } = question.params;
  const sampling: SamplingCapability = {};
  if (tools !== undefined || toolChoice !== undefined) sampling.tools = {};
  if (strict && includeContext !== "none") sampling.context = {};
  return { sampling };
}

/** The same text for the same question, and never for two; a promise where it has to be digested. */
export function markOf(question: InputRequest): MaybePromise<string> {
  const text = canonicalJson(question);
  return text.length <= SHORT ? text : digest(text);
}

async function digest(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** JSON with the members of every object in one order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
