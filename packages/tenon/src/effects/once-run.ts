/**
 * One run of a call that has a key: it holds the key by a lease that it renews, keeps each finished step, and at last the result.
 *
 * A run whose lease has ended, because its process stood still, begins no step any more: another run may have the key.
 */
import { randomId } from "../base/bytes.ts";
import { systemClock, unref, type Timer } from "../base/clock.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Step, StepWork, StepKeeper } from "../session/asking/questions/asking-context.ts";
import { toAscii } from "../session/asking/questions/running-step.ts";
import { toStepValue } from "../session/asking/questions/step-value.ts";
import { clockOf } from "../state/stores.ts";
import type { KeyedStore, Version } from "../storage/keyed-store.ts";
import { recordIn, type OnceRecord } from "./once-record.ts";

/** Milliseconds for which a run holds its key without a sign of life, and between two signs. */
export const LEASE = 10_000;
const SIGN = 3_000;

export interface OnceEntry {
  readonly store: KeyedStore;
  readonly key: string;
  readonly ttl: number;
}

/** Writes a record in place of a version. Returns the new version; undefined if another one has written. @throws what the store throws */
export async function writeRecord(
  { store, key, ttl }: OnceEntry,
  version: Version | undefined,
  record: Omit<OnceRecord, "written">,
): Promise<Version | undefined> {
  const written = randomId();
  try {
    return await store.swap(key, version, { value: JSON.stringify({ ...record, written }), ms: ttl });
  } catch (error) {
    const entry = await Promise.resolve(store.read(key)).catch(() => undefined);
    if (entry !== undefined && recordIn(entry).written === written) return entry.version;
    throw error;
  }
}

export class OnceRun implements StepKeeper {
  readonly #entry: OnceEntry;
  readonly #onLost: (reason: McpError) => void;
  #record: OnceRecord;
  #version: Version;
  /** When the lease ends, on the clock of this process. */
  #until: number;
  #timer: Timer;
  #lost: McpError | undefined;
  #ended = false;
  /** The last write: each needs the version of the one before. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @param onLost called if another run has taken the key */
  constructor(entry: OnceEntry, held: { record: OnceRecord; version: Version }, onLost: (reason: McpError) => void) {
    this.#entry = entry;
    this.#record = held.record;
    this.#version = held.version;
    this.#onLost = onLost;
    this.#until = systemClock.now() + LEASE;
    this.#signLater();
  }

  async step<T>(name: string, _step: Step, work: StepWork<T>): Promise<T> {
    const known = this.#record.steps.find(([own]) => own === name);
    if (known !== undefined) return known[1] as T; // the value of the step
    this.#assertHeld();
    const done = await work({ key: `${this.#record.call}-${toAscii(name)}` });
    const { text, value } = toStepValue(name, done);
    const entry = text === undefined ? ([name] as const) : ([name, JSON.parse(text) as unknown] as const);
    await this.#write((record) => ({ ...record, steps: [...record.steps, entry], runner: this.#renewed(record) }));
    return value as T; // equal to the value of the step
  }

  /** Keeps the result, or that it was too long. False if another run has the key. */
  async finish(result: OnceRecord["result"]): Promise<boolean> {
    this.#end();
    return this.#write(({ digest, call }) => ({ digest, call, steps: [], result: result! }));
  }

  /** Lets others run the call. Nothing stays of it, unless a step has finished. Returns whether nothing does. */
  async release(): Promise<boolean> {
    this.#end();
    await this.#writing.catch(() => undefined);
    const { store, key } = this.#entry;
    if (this.#record.steps.length === 0) return (await store.swap(key, this.#version, undefined)) !== undefined;
    await this.#write(({ digest, call, steps }) => ({ digest, call, steps }));
    return false;
  }

  #end(): void {
    this.#ended = true;
    systemClock.clearTimer(this.#timer);
  }

  /** @throws McpError -32603 if the key may be another run's */
  #assertHeld(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (systemClock.now() >= this.#until) throw lostError();
  }

  #renewed({ runner }: OnceRecord): NonNullable<OnceRecord["runner"]> {
    return { ...runner!, until: clockOf(this.#entry.store).now() + LEASE }; // it runs
  }

  #signLater(): void {
    this.#timer = systemClock.setTimer(SIGN, () => void this.#sign());
    unref(this.#timer);
  }

  async #sign(): Promise<void> {
    // A store that is away is asked again: the lease has not ended yet.
    await this.#write((record) => ({ ...record, runner: this.#renewed(record) })).catch(() => undefined);
    if (!this.#ended && this.#lost === undefined) this.#signLater();
  }

  #write(change: (record: OnceRecord) => Omit<OnceRecord, "written">): Promise<boolean> {
    const writing = this.#writing
      .catch(() => undefined)
      .then(async () => {
        if (this.#lost !== undefined) return false;
        const next = change(this.#record);
        const began = systemClock.now();
        const version = await writeRecord(this.#entry, this.#version, next);
        if (version === undefined) return this.#lose();
        this.#version = version;
        this.#record = { ...next, written: "" };
        this.#until = began + LEASE;
        return true;
      });
    this.#writing = writing;
    return writing;
  }

  #lose(): false {
    this.#lost = lostError();
    this.#end();
    this.#onLost(this.#lost);
    return false;
  }
}

function lostError(): McpError {
  return new McpError(ErrorCode.InternalError, "Another process continues this call, because this one gave no sign of life", {
    reason: "onceLost",
    delivery: "unknown",
  });
}
