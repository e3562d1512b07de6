/** The pending calls on one server: how many, and whose. */
import { finishesWithin, type Clock } from "../../base/clock.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";

/** A pending call. Without a relay its caller is this program. */
interface PendingCall {
  readonly relay: QuestionRelay | undefined;
}

export class CallsUnderWay {
  readonly #pending = new Set<PendingCall>();
  #idle: (() => void) | undefined;

  async track<T>(call: () => Promise<T>, relay?: QuestionRelay): Promise<T> {
    const pending = { relay };
    this.#pending.add(pending);
    try {
      return await call();
    } finally {
      this.#pending.delete(pending);
      if (this.#pending.size === 0) this.#idle?.();
    }
  }

  /**
   * What asks the client of the pending calls; undefined if they are of several clients or of this program. A request of a server on a
   * stateful revision does not say which call it belongs to, and a question must not reach another client.
   */
  get relay(): QuestionRelay | undefined {
    const relays = [...this.#pending].map(({ relay }) => relay);
    const [first] = relays;
    return relays.every((relay) => relay !== undefined && relay.client === first?.client) ? first : undefined;
  }

  /** Resolves when no call is pending, or after `ms` milliseconds. */
  async end(clock: Clock, ms: number): Promise<void> {
    if (ms > 0 && this.#pending.size > 0) await finishesWithin(clock, ms, new Promise<void>((resolve) => (this.#idle = resolve)));
  }
}
