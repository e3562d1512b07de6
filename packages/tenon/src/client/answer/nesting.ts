/**
 * Limits how deep answers nest: a callback may call a tool, whose handler asks again, and so on.
 *
 * A runtime with asynchronous contexts knows every call that a callback makes. Other runtimes know only the calls before
 * its first `await`. A request of the server does not say which call it belongs to, so it counts for the deepest call that
 * is pending.
 */
import type { TrackedContext } from "../../base/async-context.ts";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { assertAtLeast } from "../../base/number-options.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

const DEFAULT_DEPTH = 8;

interface QuestionUnderWay {
  readonly depth: number;
  readonly outer: QuestionUnderWay | undefined;
  /** False once the question is answered. Code that its callback left running no longer counts. */
  open: boolean;
}

/** Questions whose callbacks run in this process, on all sessions. While it is 0, no call is nested. */
export let answersUnderWay = 0;

let tracked: TrackedContext<QuestionUnderWay> | undefined;
/** The newest question that the runtime does not track. While it is open, calls count as nested in it. */
let untracked: QuestionUnderWay | undefined;

/** Loads the asynchronous contexts of this platform. A session with callbacks waits for it before it reads. */
export async function trackAnswers(): Promise<void> {
  const { createTrackedContext } = await import("#async-context");
  tracked ??= createTrackedContext();
}

/** Counts and limits how deep the answers of one session are nested. */
export class Nesting {
  readonly #maxDepth: number;
  /**
   * Whether the session's callbacks have always returned synchronously. Then nothing is tracked, because on Node 20 and 22
   * tracking costs more than the rest of an answer. Undefined until the first answer.
   */
  #atOnce: boolean | undefined;
  /** Pending calls of the session that a callback made. */
  readonly #calls = new Set<{ readonly from: QuestionUnderWay }>();

  constructor(maxDepth: number = DEFAULT_DEPTH) {
    this.#maxDepth = assertAtLeast("limits.maxDepth", maxDepth, 1);
  }

  /** Answers a question of the server. @throws LimitExceededError `limits.maxDepth` */
  answer<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    let outer = currentAnswer();
    for (const { from } of this.#calls) if (from.depth > (outer?.depth ?? 0)) outer = from;
    const depth = (outer?.depth ?? 0) + 1;
    if (depth > this.#maxDepth) throw new LimitExceededError("limits.maxDepth", this.#maxDepth);
    const answer: QuestionUnderWay = { depth, outer, open: true };
    answersUnderWay++;
    return settleThen(
      () => this.#run(answer, work),
      () => {
        answer.open = false;
        answersUnderWay--;
      },
    );
  }

  #run<T>(answer: QuestionUnderWay, work: () => MaybePromise<T>): MaybePromise<T> {
    const context = this.#atOnce === true ? undefined : tracked;
    if (context === undefined) untracked = answer;
    const done = context === undefined ? work() : context.run(answer, work);
    if (isPromise(done)) this.#atOnce = false;
    else this.#atOnce ??= true;
    return done;
  }

  /** Makes a call. Its questions count as nested in the question whose callback makes it. */
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

/** The deepest open question whose callback runs this code. */
function currentAnswer(): QuestionUnderWay | undefined {
  const one = innermostOpen(tracked?.current);
  const other = innermostOpen(untracked);
  return (one?.depth ?? 0) > (other?.depth ?? 0) ? one : other;
}

function innermostOpen(answer: QuestionUnderWay | undefined): QuestionUnderWay | undefined {
  let open = answer;
  while (open?.open === false) open = open.outer;
  return open;
}

/** Runs `work` and, when it has settled, `then`. */
function settleThen<T>(work: () => MaybePromise<T>, then: () => void): MaybePromise<T> {
  let done: MaybePromise<T> | undefined;
  try {
    done = work();
  } finally {
    if (!isPromise(done)) then();
  }
  return isPromise(done) ? done.finally(then) : done;
}
