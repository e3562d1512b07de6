/**
 * Calls inside answers: a callback of a client may call a tool, whose handler asks again, and so on. Limits how deep that goes.
 *
 * A runtime with asynchronous contexts knows every call that a callback makes; on other runtimes only those before its
 * first `await` are known. A request of the server does not say which call it belongs to: the deepest call that is under
 * way is taken for it.
 */
import type { TrackedContext } from "../../base/async-context.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { assertAtLeast } from "../../dispatch/limits.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

const DEFAULT_DEPTH = 8;

/** A question that is being answered. */
interface Answer {
  readonly depth: number;
  readonly outer: Answer | undefined;
  /** Turns false when the answer is given: code that its callback left running is outside of it. */
  open: boolean;
}

/** Answers under way in this process, on all sessions. While there is none, no call can lie in one. */
export let answersUnderWay = 0;

let tracked: TrackedContext<Answer> | undefined;
/** The newest answer that the runtime does not track: while it is open, calls lie in it. */
let untracked: Answer | undefined;

/** Loads what tracks answers on this platform. A session whose callbacks may make calls waits for it before it reads. */
export async function trackAnswers(): Promise<void> {
  const { createTrackedContext } = await import("#async-context");
  tracked ??= createTrackedContext();
}

/** How deep the answers of one session lie in others. */
export class Nesting {
  readonly #maxDepth: number;
  /**
   * Whether the session's callbacks have always returned at once. Then there is nothing to track, and the runtime is not
   * asked to: on Node 20 and 22 that would cost more than the rest of an answer. Undefined until the first answer.
   */
  #atOnce: boolean | undefined;
  /** The calls of the session that are under way and were made from an answer. */
  readonly #calls = new Set<{ readonly from: Answer }>();

  /** @throws RangeError */
  constructor(maxDepth: number = DEFAULT_DEPTH) {
    this.#maxDepth = assertAtLeast("limits.maxDepth", maxDepth, 1);
  }

  /** Answers a question of the server. @throws LimitExceededError `limits.maxDepth` */
  answer<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    let outer = currentAnswer();
    for (const { from } of this.#calls) if (from.depth > (outer?.depth ?? 0)) outer = from;
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > this.#maxDepth) throw new LimitExceededError("limits.maxDepth", this.#maxDepth);
    const answer: Answer = { depth, outer, open: true };
    answersUnderWay++;
    return settling(
      () => this.#run(answer, work),
      () => {
        answer.open = false;
        answersUnderWay--;
      },
    );
  }

  #run<T>(answer: Answer, work: () => MaybePromise<T>): MaybePromise<T> {
    const context = this.#atOnce === true ? undefined : tracked;
    if (context === undefined) untracked = answer;
    const done = context === undefined ? work() : context.run(answer, work);
    if (isPromise(done)) this.#atOnce = false;
    else this.#atOnce ??= true;
    return done;
  }

  /** Makes a call: the questions to it lie in the answer that the call is made from. */
  async call<T>(work: () => Promise<T>): Promise<T> {
    const from = currentAnswer();
    if (from === undefined) return work();
    const call = { from };
    this.#calls.add(call);
    try {
      return await work();
    } finally {
      this.#calls.delete(call);
    }
  }
}

/** The deepest open answer that this code is part of. */
function currentAnswer(): Answer | undefined {
  const one = innermostOpen(tracked?.current);
  const other = innermostOpen(untracked);
  return (one?.depth ?? 0) > (other?.depth ?? 0) ? one : other;
}

function innermostOpen(answer: Answer | undefined): Answer | undefined {
  let open = answer;
  while (open?.open === false) open = open.outer;
  return open;
}

/** Runs `work` and, when it has settled, `then`. */
function settling<T>(work: () => MaybePromise<T>, then: () => void): MaybePromise<T> {
  let done: MaybePromise<T> | undefined;
  try {
    done = work();
  } finally {
    if (!isPromise(done)) then();
  }
  return isPromise(done) ? done.finally(then) : done;
}
