/** A question to the client, on every channel: the capabilities that it needs, and the mark that matches it with its answer. */
import { canonicalJson } from "../../../base/json-values.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { ClientCapabilities, SamplingCapability } from "../../../protocol/capabilities.ts";
import type { ElicitResult } from "../../../protocol/elicitation.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { ClientIdentity, Codec } from "../../../wire/codec.ts";
import { warnIfDeprecated } from "../../deprecated.ts";
import { hasCapabilities } from "../../client-capabilities.ts";
import { hashed } from "../../../base/hash.ts";

/** Questions up to this many characters are used as marks themselves, longer ones as a digest. */
const SHORT = 256;

const SAYS_NO = /^\s*(?:false|no?|0)\s*$/i;

/**
 * What the user did with a question that has no fields: a yes or no, or a page. An accept whose content says no (`false`, 0, "no", "n" or "false",
 * under any name) is a "decline".
 */
export function actionOf({ action, content = {} }: ElicitResult): ElicitResult["action"] {
  return action === "accept" && Object.values(content).some((value) => SAYS_NO.test(String(value))) ? "decline" : action;
}

/** The capabilities that a question needs. `sampling.context` is included only if `strict`. */
export function capabilitiesFor(question: InputRequest, strict: boolean): ClientCapabilities {
  if (question.method === "roots/list") return { roots: {} };
  if (question.method === "elicitation/create") return { elicitation: question.params.mode === "url" ? { url: {} } : { form: {} } };
  const { tools, toolChoice, includeContext = "none" } = question.params;
  const sampling: SamplingCapability = {};
  if (tools !== undefined || toolChoice !== undefined) sampling.tools = {};
  if (strict && includeContext !== "none") sampling.context = {};
  return { sampling };
}

/** Whether a client with these capabilities can be asked, as far as a question needs them. */
export function canBeAsked(capabilities: ClientCapabilities, question: InputRequest): boolean {
  return hasCapabilities(capabilities, capabilitiesFor(question, false));
}

/** Warns if the question uses sampling or roots and the revision deprecates them. */
export function warnIfQuestionDeprecated({ method }: InputRequest, codec: Codec): void {
  if (method !== "elicitation/create") warnIfDeprecated(method === "roots/list" ? "roots" : "sampling", codec);
}

/** @throws MissingClientCapabilityError if the client did not declare what the question needs */
export function assertAskable(question: InputRequest, { client, codec }: { readonly client: ClientIdentity; readonly codec: Codec }): void {
  const needs = capabilitiesFor(question, true);
  if (!hasCapabilities(client.capabilities, needs)) throw new MissingClientCapabilityError(needs);
  warnIfQuestionDeprecated(question, codec);
}

/**
 * A mark: the same text for equal questions, and another for any other; a promise if it has to be digested. Lists of answers have
 * marks too.
 */
export function markOf(value: InputRequest | readonly unknown[]): MaybePromise<string> {
  const text = canonicalJson(value);
  return text.length <= SHORT ? text : hashed(text);
}
