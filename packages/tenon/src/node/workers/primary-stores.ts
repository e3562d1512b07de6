/**
 * The stores that the workers of one program share: `memoryStores()` in the primary process, called by message.
 *
 * What a worker listens for and the locks that it holds end with its process.
 */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import { RateCounts } from "../../base/bounds/rate-counts.ts";
import type { TaskStore } from "../../extensions/tasks/index.ts";
import type { Bus } from "../../storage/bus.ts";
import { memoryStores } from "../../stores/memory/memory-stores.ts";
import type { Stores } from "../../stores/stores.ts";
import { sentError, type CalledStore, type StoreCall, type StoreOutcome, METHODS } from "./messages.ts";

type Tell = (topic: string, message: string) => void;

export class PrimaryStores {
  readonly #stores: Stores;
  readonly #rates = new RateCounts();

  constructor(onError: (error: unknown) => void) {
    this.#stores = memoryStores({ onError });
  }

  /** What one worker calls. */
  forWorker(tell: Tell): WorkerCalls {
    const { keyed, events, states, proofs, tasks, logins } = this.#stores;
    const bus = new HeardBus(this.#stores.bus, tell);
    const taskChanges = new HeardTasks(tasks, tell);
    const locks = new HeldLocks(logins);
    const stores = { keyed, events, states, proofs, tasks, logins, rates: this.#rates, bus, taskChanges, locks };
    return new WorkerCalls(stores, [bus, taskChanges, locks]);
  }
}

interface Ending {
  /** Ends what the worker began. */
  end(): void;
}

export class WorkerCalls implements Ending {
  readonly #stores: Readonly<Record<CalledStore, object>>;
  readonly #endings: readonly Ending[];

  constructor(stores: Readonly<Record<CalledStore, object>>, endings: readonly Ending[]) {
    this.#stores = stores;
    this.#endings = endings;
  }

  /** Carries out one call. Never rejects. */
  async run([id, store, method, args]: StoreCall): Promise<StoreOutcome> {
    try {
      if (!METHODS[store].includes(method)) throw new TypeError(`The store "${store}" has no method "${method}"`);
      const target = this.#stores[store] as Record<string, (...args: readonly unknown[]) => unknown>; // with the methods of the table
      return [id, true, await target[method]!(...args)];
    } catch (error) {
      return [id, false, sentError(error)];
    }
  }

  end(): void {
    for (const ending of this.#endings) ending.end();
  }
}

class HeardBus implements Ending {
  readonly #bus: Bus;
  readonly #tell: Tell;
  readonly #stops = new Map<string, () => void>();

  constructor(bus: Bus, tell: Tell) {
    this.#bus = bus;
    this.#tell = tell;
  }

  async publish(topic: string, message: string): Promise<void> {
    await this.#bus.publish(topic, message);
  }

  async open(topic: string): Promise<void> {
    this.close(topic);
    this.#stops.set(topic, await this.#bus.subscribe(topic, (message) => this.#tell(`bus ${topic}`, message)));
  }

  close(topic: string): void {
    this.#stops.get(topic)?.();
    this.#stops.delete(topic);
  }

  end(): void {
    for (const topic of [...this.#stops.keys()]) this.close(topic);
  }
}

class HeardTasks implements Ending {
  readonly #tasks: TaskStore;
  readonly #tell: Tell;
  #stop: (() => void) | undefined;

  constructor(tasks: TaskStore, tell: Tell) {
    this.#tasks = tasks;
    this.#tell = tell;
  }

  open(): void {
    this.#stop ??= this.#tasks.subscribe((id) => this.#tell("tasks", id));
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

/** The locks of logins that one worker holds or waits for. */
class HeldLocks implements Ending {
  readonly #logins: AuthStore;
  readonly #releases = new Map<string, () => void>();

  constructor(logins: AuthStore) {
    this.#logins = logins;
  }

  /** Resolves when the worker has the lock. @param ticket names this lock of the worker */
  acquire(key: string, ticket: string): Promise<void> {
    const released = new Promise<void>((resolve) => this.#releases.set(ticket, resolve));
    return new Promise((resolve, reject) => {
      this.#logins.lock(key, () => (resolve(), released)).catch(reject);
    });
  }

  release(ticket: string): void {
    this.#releases.get(ticket)?.();
    this.#releases.delete(ticket);
  }

  end(): void {
    for (const ticket of [...this.#releases.keys()]) this.release(ticket);
  }
}
