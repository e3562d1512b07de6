/** `memoryStores()`: every store of the SDK in the memory of one process. */
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { MemoryStore } from "../../auth/login/auth-store.ts";
import { MemoryTaskStore } from "../../extensions/tasks/index.ts";
import { MemoryStateStore } from "../../session/asking/rounds/memory-state-store.ts";
import { logError, type Stores } from "../stores.ts";
import { MemoryEventLog } from "../../storage/memory/event-log.ts";
import { MemoryKeyedStore } from "../../storage/memory/keyed-store.ts";
import type { Bus } from "../../storage/bus.ts";
import { assertMessage, assertTopic } from "../../storage/limits.ts";

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The clock that entries expire by. Default: the system's clock. */
  readonly clock?: Clock;
  /** Receives what a listener of the bus throws. Default: it is written to the console. */
  readonly onError?: (error: unknown) => void;
}

const KEYS: OptionKeys<MemoryStoresOptions> = { clock: 1, onError: 1 };

/**
 * Stores in the memory of this process, for tests and for several endpoints of one process. They end with the process. Full stores refuse
 * what is new with a LimitExceededError: 64 Mi characters of keyed values, 64 Mi of events, 100 000 streams.
 *
 * @throws TypeError if an option has a wrong name
 */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  assertKnown("memoryStores()", options, KEYS);
  const { clock = systemClock, onError = logError } = options;
  return {
    keyed: new MemoryKeyedStore(clock),
    events: new MemoryEventLog(clock),
    bus: new MemoryBus(onError),
    states: new MemoryStateStore({ clock }),
    proofs: new MemoryStateStore({ clock }),
    tasks: new MemoryTaskStore(),
    logins: new MemoryStore(),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** A bus inside one process: see `Bus`. It loses nothing, but a message of an ended subscription is dropped. */
class MemoryBus implements Bus {
  readonly maxMessage: number = 2 ** 20;
  readonly #topics = new Map<string, Set<(message: string) => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Listeners run after the caller's turn, as they do on a bus between processes. */
  publish(topic: string, message: string): void {
    assertTopic(topic);
    assertMessage(message, this.maxMessage);
    if (this.#topics.has(topic)) queueMicrotask(() => this.#deliver(topic, message));
  }

  #deliver(topic: string, message: string): void {
    for (const listener of this.#topics.get(topic) ?? []) {
      try {
        listener(message);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    assertTopic(topic);
    const own = (message: string): void => listener(message);
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(own));
    return () => {
      if (listeners.delete(own) && listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  /** Nothing is ever missed. */
  onGap(): () => void {
    return () => undefined;
  }
}
