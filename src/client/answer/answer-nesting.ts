/**
 * How deep an answer lies in others, and the limit of that. Loaded with the first question (`nesting.ts`).
 *
 * Where the runtime has asynchronous contexts every call inside a callback is known to be; elsewhere those before its
 * first `await`. Which call a question on a back-channel belongs to is not said on the wire: the deepest one under way
 * is taken for it.
 */
import { createTrackedContext } from "#async-context";
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { ClientSession } from "../session.ts";

const DEFAULT_DEPTH = 8;

/** A question that is being answered. */
interface Answer {
  readonly depth: number;
  readonly outer: Answer | undefined;
  /** Code that its callback left running goes on outside of it. */
  open: boolean;
}

export class AnswerNesting {
  readonly #answers = createTrackedContext<Answer>();
  /**
   * Whether a session's callbacks have only ever answered at once. Then there is nothing to carry along, and no need to
   * tell the runtime to (which costs more than the rest of an answer).
   */
  readonly #atOnce = new WeakMap<ClientSession, boolean>();
  /** The newest answer that is not carried along: calls while it is open lie in it. */
  #untracked: Answer | undefined;
  /** The calls of a session that are under way and were made from an answer. */
  readonly #calling = new WeakMap<ClientSession, Set<{ readonly from: Answer }>>();

  /** @throws LimitExceededError `maxDepth` */
  answer<T>(session: ClientSession, work: () => MaybePromise<T>): MaybePromise<T> {
    let outer = this.#current;
    for (const { from } of this.#calling.get(session) ?? []) if (from.depth > (outer?.depth ?? 0)) outer = from;
    const depth = (outer?.depth ?? 0) + 1;
    const { maxDepth = DEFAULT_DEPTH } = session.options;
    if (depth > maxDepth) throw new LimitExceededError("maxDepth", maxDepth);
    const answer: Answer = { depth, outer, open: true };
    return settling(
      () => this.#run(session, answer, work),
      () => (answer.open = false),
    );
  }

  #run<T>(session: ClientSession, answer: Answer, work: () => MaybePromise<T>): MaybePromise<T> {
    const atOnce = this.#atOnce.get(session);
    if (atOnce) this.#untracked = answer;
    const done = atOnce ? work() : this.#answers.run(answer, work);
    if (isPromise(done)) this.#atOnce.set(session, false);
    else if (atOnce === undefined) this.#atOnce.set(session, true);
    return done;
  }

  call<T>(session: ClientSession, work: () => MaybePromise<T>): MaybePromise<T> {
    const from = this.#current;
    if (from === undefined) return work();
    const call = { from };
    const calling = this.#calling.get(session) ?? new Set();
    this.#calling.set(session, calling.add(call));
    return settling(work, () => calling.delete(call));
  }

  get #current(): Answer | undefined {
    const tracked = innermostOpen(this.#answers.current);
    const untracked = innermostOpen(this.#untracked);
    return (tracked?.depth ?? 0) > (untracked?.depth ?? 0) ? tracked : untracked;
  }
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
