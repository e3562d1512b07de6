/** What survives a crash: the stores that all processes share. A process that is dead can neither read nor write them. */
import { MemoryStateStore, type StateStore } from "tenon/server";
import { MemoryTaskStore, type TaskStore } from "tenon/ext/tasks";
import type { ProcessClock } from "./process-clock.ts";

/** The stores as one process reaches them. */
export interface Stores {
  readonly states: StateStore;
  readonly tasks: TaskStore;
}

/** How a process reaches the stores. */
export interface Access {
  readonly clock: ProcessClock;
  readonly dead: () => boolean;
  /** Milliseconds the next operation takes; 0 for one that is done at once. */
  readonly wait: () => number;
}

export class Disk {
  readonly tasks: MemoryTaskStore = new MemoryTaskStore();
  readonly #states: MemoryStateStore;
  /** Listeners of processes for changes of tasks. */
  listeners = 0;
  readonly #taskIds = new Set<string>();

  constructor(clock: ProcessClock, maxClaims: number) {
    this.#states = new MemoryStateStore({ clock, maxClaims, maxSize: 20_000 });
    this.tasks.subscribe((id) => this.#taskIds.add(id));
  }

  /** All tasks that have not expired. */
  allTasks(): readonly { readonly id: string; readonly status: string }[] {
    return [...this.#taskIds].flatMap((id) => this.tasks.get(id) ?? []);
  }

  reachedBy(access: Access): Stores {
    const { tasks } = this;
    return { states: slowed(this.#states, access), tasks: this.#listening(slowed(tasks, access), access) };
  }

  /** A dead process receives nothing, and its listeners are gone. */
  #listening(tasks: TaskStore, { dead }: Access): TaskStore {
    const subscribe: TaskStore["subscribe"] = (listener) => {
      this.listeners++;
      const stop = this.tasks.subscribe((id) => {
        if (!dead()) listener(id);
      });
      return () => {
        this.listeners--;
        stop();
      };
    };
    return new Proxy(tasks, { get: (target, name) => (name === "subscribe" ? subscribe : Reflect.get(target, name)) });
  }
}

/** A store whose operations take a while, one after the other, and never end for a process that is dead. */
function slowed<Store extends object>(store: Store, { clock, dead, wait }: Access): Store {
  let last: Promise<void> | undefined;
  const inTurn = async (before: Promise<void> | undefined, ms: number): Promise<void> => {
    await before;
    await clock.sleep(ms);
  };
  return new Proxy(store, {
    get(target, name): unknown {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        if (dead()) return new Promise(() => undefined);
        const ms = wait();
        const run = (): unknown => Reflect.apply(member, target, args);
        if (last === undefined && ms === 0) return run();
        const turn = inTurn(last, ms);
        last = turn;
        return turn.then(() => {
          if (last === turn) last = undefined;
          return run();
        });
      };
    },
  });
}
