/** The listeners for changes of tasks. Subscribes to the store while there is one. */
import type { TaskStore } from "./task-store.ts";

export class TaskWatchers {
  readonly #storeOf: () => TaskStore;
  readonly #byId = new Map<string, Set<() => void>>();
  #stop: (() => void) | undefined;

  constructor(storeOf: () => TaskStore) {
    this.#storeOf = storeOf;
  }

  add(id: string, listener: () => void): () => void {
    this.#stop ??= this.#storeOf().subscribe((changed) => this.#told(changed));
    const watchers = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, watchers.add(listener));
    return () => {
      watchers.delete(listener);
      if (watchers.size > 0 || this.#byId.get(id) !== watchers) return;
      this.#byId.delete(id);
      if (this.#byId.size === 0) this.#stopListening();
    };
  }

  #told(id: string): void {
    for (const listener of [...(this.#byId.get(id) ?? [])]) listener();
  }

  #stopListening(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  close(): void {
    this.#stopListening();
    this.#byId.clear();
  }
}
