/** Questions over a back-channel: each is a request to the client, on the channel of the current request. */
import type { ProgressCallback } from "../../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { RequestContext } from "../../request-context.ts";
import { requestClient } from "../../server-requests.ts";
import type { StepWork } from "./asking-context.ts";
import { UsedNames, type AskOptions, type QuestionChannel } from "./question-channel.ts";
import { newJournal, type Journal } from "./journal.ts";
import { capabilitiesFor } from "./question.ts";
import { assertOutsideStep, runStep } from "./running-step.ts";
import { toStepValue } from "./step-value.ts";

/** Milliseconds that a person has to answer. */
const ANSWER_TIMEOUT = 600_000;

export class LiveQuestionChannel implements QuestionChannel {
  readonly #context: RequestContext;
  readonly #names = new UsedNames();
  readonly journal: Journal;

  /** @param journal of the run before, if the handler runs again after `inputRequired()` */
  constructor(context: RequestContext, journal: Journal = newJournal()) {
    this.#context = context;
    this.journal = journal;
  }

  async ask(name: string, question: InputRequest, { onProgress }: AskOptions = {}): Promise<JsonObject> {
    this.#names.use("question", name);
    return sendQuestion(this.#context, name, question, onProgress);
  }

  async step<T>(name: string, work: StepWork<T>): Promise<T> {
    this.#names.use("step", name);
    const { journal } = this;
    if (journal.hasStep(name)) {
      journal.report.replayed(name);
      return journal.stepValue(name) as T; // the type that the step returned
    }
    const done = await journal.report.running(name, () => runStep({ of: this, name, call: journal.call }, work));
    const { text, value } = toStepValue(name, done);
    journal.keepStep(name, text);
    return value as T; // equal to the step's own value
  }

  assertMayAsk(): void {
    assertOutsideStep(this);
  }
}

/** @throws NoBackChannelError, MissingClientCapabilityError, or the client's error */
export function sendQuestion(
  context: RequestContext,
  name: string,
  question: InputRequest,
  onProgress?: ProgressCallback,
): Promise<JsonObject> {
  const { method, params } = question;
  const isPage = method === "elicitation/create" && params.mode === "url";
  const sent = isPage ? { elicitationId: crypto.randomUUID(), ...params } : params;
  const options = { timeout: ANSWER_TIMEOUT, signal: context.signal, question: name, ...(onProgress && { onProgress }) };
  assertRevisionAsks(context, question);
  // A capability that the revision cannot declare is not required.
  const needs = context.codec.encodeClientCapabilities(capabilitiesFor(question, true));
  return requestClient(context, { method, params: sent, needs }, options);
}

/** A client of a revision without this question cannot declare it: the same error as for a client that did not. */
function assertRevisionAsks({ codec }: RequestContext, question: InputRequest): void {
  const { method } = question;
  if (codec.stateless || codec.hasRequest(method, "server")) return;
  const message = `The client does not support "${method}": revision ${codec.version}, which it speaks, does not have it`;
  throw new MissingClientCapabilityError(capabilitiesFor(question, true), message);
}
