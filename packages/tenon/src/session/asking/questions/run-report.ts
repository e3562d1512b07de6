/** What the handler of one request did: which of its steps ran and which were replayed. `../rounds/round-middleware.ts` sends it. */

/** Most steps of a report. Later ones are left out. */
const MAX_STEPS = 500;

export interface StepReport {
  readonly name: string;
  readonly state: "ran" | "failed" | "replayed";
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Milliseconds that its work took; 0 for a step that was replayed. */
  readonly ms: number;
}

/** The steps of one request, and how its handler came to run: from its beginning, on from its question, or from its beginning again. */
export class RunReport {
  handler: "began" | "continued" | "ran again" = "began";
  readonly steps: StepReport[] = [];

  replayed(name: string): void {
    this.#add({ name, state: "replayed", at: Date.now(), ms: 0 });
  }

  /** Runs the work of a step, and adds it. @throws what the work throws */
  async running<T>(name: string, work: () => Promise<T>): Promise<T> {
    const at = Date.now();
    let state: StepReport["state"] = "failed";
    try {
      const value = await work();
      state = "ran";
      return value;
    } finally {
      this.#add({ name, state, at, ms: Date.now() - at });
    }
  }

  #add(step: StepReport): void {
    if (this.steps.length < MAX_STEPS) this.steps.push(step);
  }
}
