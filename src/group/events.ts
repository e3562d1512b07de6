/** Whom a group tells what: listeners of changes, and whoever is told what goes wrong. */
import { reportTo } from "../base/report-to.ts";
import type { GroupChange } from "./changes.ts";
import type { GroupOptions } from "./options.ts";

export class GroupEvents {
  readonly #listeners = new Set<(change: GroupChange) => void>();
  readonly #onServerError: GroupOptions["onServerError"];

  constructor({ onChange, onServerError }: Pick<GroupOptions, "onChange" | "onServerError">) {
    if (onChange !== undefined) this.#listeners.add(onChange);
    this.#onServerError = onServerError;
  }

  /** Returns how to stop. */
  subscribe(listener: (change: GroupChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Nobody is told of changes any more. */
  close(): void {
    this.#listeners.clear();
  }

  emit(change: GroupChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.report(error, change.server);
      }
    }
  }

  report(error: unknown, server: string): void {
    reportTo((known) => this.#onServerError?.(known, server), error);
  }
}
