/** Old generations: each ends when its last call has ended, or when its time is over. */
import type { Generation } from "./generation-process.ts";

/** Most old generations; one more ends the oldest. */
const MAX_OLD = 4;

const REASON = "The server was reloaded during this call. Call it again.";

export class Drains {
  readonly #ms: number;
  readonly #leave: (generation: Generation) => void;
  readonly #old = new Map<Generation, NodeJS.Timeout>();
  readonly #ending = new Set<Promise<void>>();

  /** @param ms milliseconds that running calls get @param leave called when a generation ends */
  constructor(ms: number, leave: (generation: Generation) => void) {
    this.#ms = ms;
    this.#leave = leave;
  }

  add(generation: Generation): void {
    const [oldest] = this.#old.keys();
    if (oldest !== undefined && this.#old.size >= MAX_OLD) this.#end(oldest);
    this.#old.set(
      generation,
      setTimeout(() => this.#end(generation), this.#ms),
    );
    const endIfIdle = (): void => {
      if (generation.isIdle) this.#end(generation);
    };
    generation.onIdle = endIfIdle;
    endIfIdle();
  }

  #end(generation: Generation): void {
    clearTimeout(this.#old.get(generation));
    if (!this.#old.delete(generation)) return;
    const ending = generation.end(REASON).finally(() => {
      this.#ending.delete(ending);
      this.#leave(generation);
    });
    this.#ending.add(ending);
  }

  async endAll(): Promise<void> {
    for (const generation of [...this.#old.keys()]) this.#end(generation);
    await Promise.all(this.#ending);
  }
}
