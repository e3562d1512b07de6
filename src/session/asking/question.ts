/**
 * A question to the client, whatever it travels in: what the client must be able to do for it, and the text it is
 * recognised by when its answer comes back.
 */
import { canonicalJson } from "../../base/json-values.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ClientCapabilities, SamplingCapability } from "../../protocol/capabilities.ts";
import { MissingClientCapabilityError } from "../../protocol/errors.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import type { ClientIdentity, Codec } from "../../wire/codec.ts";
import { warnIfDeprecated } from "../deprecated.ts";
import { hasCapabilities } from "../client-capabilities.ts";
import { toBase64Url } from "../../base/base64.ts";
import { sha256 } from "../../base/hash.ts";

/** Questions up to this many characters are kept as they are, longer ones as a digest. */
const SHORT = 256;

/** What the client must have declared for a question (H4, L1.1, L2.1). `sampling.context` is asked for only where `strict`. */
export function capabilitiesFor(question: InputRequest, strict: boolean): ClientCapabilities {
  if (question.method === "roots/list") return { roots: {} };
  if (question.method === "elicitation/create") return { elicitation: question.params.mode === "url" ? { url: {} } : { form: {} } };
  const { tools, toolChoice, includeContext = "none" } = question.params;
  const sampling: SamplingCapability = {};
  if (tools !== undefined || toolChoice !== undefined) sampling.tools = {};
  if (strict && includeContext !== "none") sampling.context = {};
  return { sampling };
}

/** Whoever asks a client's model or for its roots is told where that is deprecated. */
export function warnIfQuestionDeprecated({ method }: InputRequest, codec: Codec): void {
  if (method !== "elicitation/create") warnIfDeprecated(method === "roots/list" ? "roots" : "sampling", codec);
}

/** @throws MissingClientCapabilityError for what a client without a back-channel did not declare (H4) */
export function assertAskable(question: InputRequest, { client, codec }: { readonly client: ClientIdentity; readonly codec: Codec }): void {
  const needs = capabilitiesFor(question, true);
  if (!hasCapabilities(client.capabilities, needs)) throw new MissingClientCapabilityError(needs);
  warnIfQuestionDeprecated(question, codec);
}

/** The same text for the same question, and never for two; a promise where it has to be digested. Answers have such a mark as well. */
export function markOf(value: InputRequest | readonly unknown[]): MaybePromise<string> {
  const text = canonicalJson(value);
  return text.length <= SHORT ? text : digest(text);
}

async function digest(text: string): Promise<string> {
  return toBase64Url(await sha256(text));
}
