/** A call of a client that can be asked while it waits, or that cannot be asked at all. */
import type { ProgressCallback } from "../../dispatch/dispatcher.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { LoggingMessageNotificationParams } from "../../protocol/lifecycle.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { canBeAsked } from "../../session/asking/questions/question.ts";
import { canSendRequests } from "../../session/client-capabilities.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { requestClient } from "../../session/server-requests.ts";
import type { LaneCall } from "./lane-questions.ts";

/** Milliseconds that a person has to answer. */
export const ANSWER_TIMEOUT = 600_000;

export class LiveCall implements LaneCall {
  readonly owner: string;
  requestId?: RequestId;
  readonly #context: RequestContext;

  constructor(context: RequestContext, owner: string) {
    this.#context = context;
    this.owner = owner;
  }

  canAnswer(question: InputRequest): boolean {
    const { client } = this.#context;
    return canSendRequests(this.#context) && canBeAsked(client.capabilities, question);
  }

  ask({ method, params = {} }: InputRequest, signal: AbortSignal, onProgress?: ProgressCallback): Promise<JsonObject> {
    const isPage = method === "elicitation/create" && "url" in params;
    // Stateless servers give a page no id; stateful clients need one.
    const sent = isPage ? { elicitationId: crypto.randomUUID(), ...params } : params;
    return requestClient(this.#context, { method, params: sent }, { timeout: ANSWER_TIMEOUT, signal, ...(onProgress && { onProgress }) });
  }

  logged(params: JsonObject): void {
    void this.#context.log.sendBy(this.#context, params as LoggingMessageNotificationParams); // checked by the server's codec
  }
}
