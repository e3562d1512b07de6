/**
 * Calls inside answers: a callback of this client may call a tool, whose handler asks again, and so on (row D16).
 *
 * What tells how deep one is loads with the first question; a client that is never asked has nothing to count.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AnswerNesting } from "./answer-nesting.ts";
import type { ClientSession } from "../session.ts";

let nesting: AnswerNesting | undefined;

/** Answers a question of the server. @throws LimitExceededError `maxDepth` */
export function answerNested<T>(session: ClientSession, answer: () => MaybePromise<T>): MaybePromise<T> {
  return nesting === undefined ? load().then((loaded) => loaded.answer(session, answer)) : nesting.answer(session, answer);
}

/** Makes a call, whose questions lie in the answer it is made in. */
export function callNested<T>(session: ClientSession, call: () => MaybePromise<T>): MaybePromise<T> {
  return nesting === undefined ? call() : nesting.call(session, call);
}

async function load(): Promise<AnswerNesting> {
  const { AnswerNesting } = await import("./answer-nesting.ts");
  return (nesting ??= new AnswerNesting());
}
