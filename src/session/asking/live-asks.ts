/** Asking over a back-channel: each question is a request of its own, on the channel of the request at hand. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import type { RequestContext } from "../request-context.ts";
import { request } from "../server-requests.ts";
import { Names, type Asks } from "./asks.ts";
import { needsOf } from "./question.ts";
import { assertOutsideStep, runStep } from "./running-step.ts";
import { toStepValue } from "./step-value.ts";

/** Milliseconds a person has to answer. */
const ANSWER_TIMEOUT = 600_000;

export class LiveAsks implements Asks {
  readonly #context: RequestContext;
  readonly #names = new Names();

  constructor(context: RequestContext) {
    this.#context = context;
  }

  async ask(name: string, question: InputRequest): Promise<JsonObject> {
    this.#names.use("question", name);
    return askNow(this.#context, name, question);
  }

  async step<T>(name: string, work: () => MaybePromise<T>): Promise<T> {
    this.#names.use("step", name);
    return toStepValue(name, await runStep(this, name, work)).value as T; // equal to what it was made from
  }

  assertMayAsk(): void {
    assertOutsideStep(this);
  }
}

/** @throws NoBackChannelError, MissingClientCapabilityError, or what the client answered */
export function askNow(context: RequestContext, name: string, question: InputRequest): Promise<JsonObject> {
  const { method, params } = question;
  const isPage = method === "elicitation/create" && params.mode === "url";
  const sent = isPage ? { elicitationId: crypto.randomUUID(), ...params } : params;
  const options = { timeout: ANSWER_TIMEOUT, signal: context.signal, question: name };
  // What the revision cannot tell is not asked for (L2.1).
  const needs = context.codec.encodeClientCapabilities(needsOf(question, true));
  return request(context, context.outbound, method, sent, options, needs);
}
