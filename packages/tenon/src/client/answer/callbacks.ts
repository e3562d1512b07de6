/**
 * The callbacks by which a user answers the server.
 *
 * The types are generic over the session that a callback gets, so that this folder does not depend on the session.
 * `client/options.ts` has the types that users see, with the session filled in.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ErrorData } from "../../jsonrpc/mcp-error.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import type { SamplingCapability } from "../../protocol/capabilities.ts";
import type { ElicitRequestParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../../protocol/sampling.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import type { HandlerContext } from "../../session/handler.ts";

/** What a callback knows of the question that it answers. */
export interface QuestionContext<Session> {
  /** The id of the server's request. For a question in a result: the question's name. */
  readonly requestId: RequestId;
  /** The request's `_meta`, if it has one. */
  readonly meta: RequestMeta | undefined;
  /** Aborts when the server cancels the question, when the caller abandons the call it belongs to, or when the connection ends. */
  readonly signal: AbortSignal;
  /** The session that the server asks. A callback may make calls on it. */
  readonly session: Session;
  /**
   * Sends the progress of this answer to the server. Does nothing if the server did not request progress, if `progress` does not grow, or
   * if it is infinite; an infinite `total` is omitted. Questions in results (2026-07-28) have no progress.
   */
  readonly progress: (progress: number, total?: number, message?: string) => MaybePromise<void>;
  /** @internal Whether the server asked in a request of its own, or in the result of a call. */
  readonly asked?: "request" | "result";
  /** @internal What the question may be passed on to: the option of the call in whose result it is. */
  readonly relay?: QuestionRelay | undefined;
}

/** A question of the server, as middleware for both ways sees it. */
export interface AskedRequest<Session> extends HandlerContext, QuestionContext<Session> {
  /** Whether the server asked in a request of its own, or in the result of a call (then `requestId` is the question's name). */
  readonly asked: "request" | "result";
  /** The revision both sides speak. */
  readonly protocolVersion: string;
  /** @internal The id of the call on whose HTTP response the server sent the request; undefined if it came otherwise. */
  readonly related?: RequestId | undefined;
}

/** Answers a form, or an invitation to a page. Returns or throws an error to refuse. */
export type ElicitCallback<Session> = (
  params: ElicitRequestParams,
  context: QuestionContext<Session>,
) => MaybePromise<ElicitResult | ErrorData>;
/** Answers with the reply of a model. Returns or throws an error to refuse. */
export type SampleCallback<Session> = (
  params: CreateMessageRequestParams,
  context: QuestionContext<Session>,
) => MaybePromise<CreateMessageResult | CreateMessageResultWithTools | ErrorData>;
/** The roots, or a function that returns them. */
export type RootsCallback<Session> = readonly Root[] | ((context: QuestionContext<Session>) => MaybePromise<readonly Root[] | ErrorData>);

/** The callbacks that answer the server. A client declares exactly the capabilities that it has a callback for. */
export interface Callbacks<Session> {
  /** Answers elicitation, and declares the capability. Default: not declared; the client refuses such questions. */
  onElicit?: ElicitCallback<Session>;
  /** The kinds of elicitation that `onElicit` takes. Default both. */
  elicitationModes?: readonly ("form" | "url")[];
  /**
   * Schemes of URLs that `onElicit` may be asked to open, without the colon. A page with another scheme (`javascript`, `file`)
   * is refused with -32602 before `onElicit` is called: a host that opened it could run code. Default `["https", "http"]`.
   */
  elicitationSchemes?: readonly string[];
  /**
   * Answers sampling, and declares the capability. Default: not declared; the client refuses such questions.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to ask a model themselves.
   */
  onSample?: SampleCallback<Session>;
  /**
   * Sub-capabilities of `sampling` to declare: `{ tools: {} }`, `{ context: {} }`. Default: nothing.
   * @deprecated in the protocol as of 2026-07-28, where it still works: servers are to ask a model themselves.
   */
  samplingCapabilities?: SamplingCapability;
  /**
   * Declares `roots` and answers with them. Default: not declared; the client refuses such questions.
   * @deprecated in the protocol as of 2026-07-28, where it still works: give directories as arguments, or as configuration.
   */
  roots?: RootsCallback<Session>;
}
