/** Passes the questions of another server on to the client of a request, for a server that forwards the request to that other server. */
import type { ProgressCallback } from "../../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import { canSendRequests, hasDeclared } from "../../client-capabilities.ts";
import type { RequestContext } from "../../request-context.ts";
import { capabilitiesFor } from "./question.ts";

export interface QuestionRelay {
  /** The client that it asks: the same object for all requests of one client, if the revision has sessions. */
  readonly client: object;
  /**
   * The answer of the client; undefined if the client cannot answer such a question.
   * @param onProgress called with the client's progress, if the question is a request
   */
  ask(question: InputRequest, onProgress?: ProgressCallback): Promise<JsonObject> | undefined;
}

export function relayOf(context: RequestContext): QuestionRelay {
  let count = 0;
  return {
    client: context.codec.stateless ? context : context.connection,
    ask: (question, onProgress) =>
      canAnswer(context, question) ? context.passOn(`passed on ${++count}`, question, onProgress) : undefined,
  };
}

function canAnswer(context: RequestContext, question: InputRequest): boolean {
  const { codec, questionSource } = context;
  const canReach = codec.stateless || (canSendRequests(context) && codec.hasRequest(question.method, "server"));
  // A capability that the revision cannot declare is not required.
  return questionSource !== undefined && canReach && hasDeclared(context, codec.encodeClientCapabilities(capabilitiesFor(question, true)));
}
