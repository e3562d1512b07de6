/**
 * What a server asks of its client goes to `answers.ts`, which is loaded with the first question: most servers never ask.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { InboundRequest, RawResult } from "../../dispatch/dispatcher.ts";
import type { Handler } from "../../session/handler.ts";
import type { AnswerContext } from "./answer-context.ts";
import type { ClientSession } from "../session.ts";
import type { ClientSessionOptions } from "../options.ts";

type Answers = typeof import("./answers.ts");

let answers: Answers | undefined;

/** At once, but for the first question. */
function withAnswers<T>(work: (loaded: Answers) => MaybePromise<T>): MaybePromise<T> {
  return answers === undefined ? import("./answers.ts").then((loaded) => work((answers = loaded))) : work(answers);
}

/** @throws McpError ready for the wire */
export function answerServer(session: ClientSession, report: (error: unknown) => void, request: InboundRequest): MaybePromise<RawResult> {
  return withAnswers((loaded) => loaded.answerServer(session, report, request));
}

/** What the user gave to answer with, as one handler. */
export function callbacksOf(options: ClientSessionOptions): Handler<AnswerContext> {
  return (context) => withAnswers((loaded) => loaded.answerByCallback(options, context));
}
