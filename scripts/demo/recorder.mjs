// Records what the demonstration does: each row is one call, what must come back, what came back, and how long it took.
// A row that is not as expected is a failed row, and never hides the rows after it.

/** Milliseconds one call may take. */
const LIMIT = 15_000;

export class Recorder {
  rows = [];
  #onRow;

  constructor(onRow) {
    this.#onRow = onRow;
  }

  /**
   * Makes a call and checks its result.
   * @param pair { client, server, revision }: `revision` may be a function, since it is known only once connected
   * @param check gets the result, throws where it is not as expected, and returns what to show of it
   */
  async row(pair, what, call, check) {
    const started = performance.now();
    let outcome;
    try {
      outcome = { ok: true, got: check(await within(LIMIT, call())) };
    } catch (error) {
      outcome = { ok: false, got: `${error.name}: ${error.message}` };
    }
    const { client, server, revision } = pair;
    const row = { client, server, revision: typeof revision === "function" ? revision() : revision, what, ...outcome };
    row.ms = Math.round(performance.now() - started);
    this.rows.push(row);
    this.#onRow(row);
    return row.ok;
  }

  get failed() {
    return this.rows.filter((row) => !row.ok).length;
  }
}

/** Rejects when `promise` takes longer than `ms`. */
export async function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came back within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
