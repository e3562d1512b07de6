/**
 * `requestState`: the journal of a call, sealed, bound to that call, and valid for a limited time (MCP 2026-07-28, Multi Round-Trip
 * Requests).
 *
 * Security: a state that comes back is an attacker's until it was opened. The client gets one and the same error for every reason;
 * the operator's report has the reason.
 */
import type { Clock } from "../../../base/clock.ts";
import { devHost } from "../../../base/dev-host.ts";
import { andThen, type MaybePromise } from "../../../base/maybe-promise.ts";
import { workerHost, workerStore } from "../../../base/worker-host.ts";
import { StoreClock } from "../../../base/store-clock.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../../jsonrpc/mcp-error.ts";
import { KeyRing, UnknownKeyError } from "./key-ring.ts";
import type { JournalRecord } from "../questions/journal.ts";
import type { SharedTexts } from "./kept-responses.ts";
import { MemoryStateStore } from "./memory-state-store.ts";
import type { StateStore } from "../../../storage/state-store.ts";
import type { RequestStateSettings } from "../options.ts";

/** The sealed content: when it expires, and the journal or the key of a stored one. */
type Sealed = { e: number } & ({ j: JournalRecord } | { h: string });

/** Characters of the longest state. */
const MAX_STORED = 2 ** 20;
/**
 * A client may send an old state again and get a new one, which lives longer. So that no such state outlives the claim of a step,
 * all states between two claims expire together, after this many times `ttl`.
 */
const TTLS_BETWEEN_CLAIMS = 6;

/** The call that a state belongs to. */
export interface StateOwner {
  /** Data that the state is bound to. */
  readonly binding: string;
  /** The principal or the address whose share of the store it uses. */
  readonly share: string;
}

export interface StateServices {
  /** The server's name: a state is valid for one server only. */
  readonly audience: string;
  readonly clock: Clock;
  readonly warn: (warning: Error) => void;
}

const KEY_DUE = 'The first of "requestState.keys" has sealed 2^31 states: put a new key in front of it';

export class RequestStates {
  /** Keeps responses of rounds in the store, sealed; undefined if the store belongs to this process only. */
  readonly sharedTexts: SharedTexts | undefined;
  #ring: KeyRing | undefined;
  readonly #purpose: string;
  readonly #ttl: number;
  readonly #maxSize: number;
  readonly #store: StateStore;
  /** Decides when a state expires: the node that opens it may not be the one that sealed it. */
  readonly #time: StoreClock;
  readonly #ephemeral: boolean;
  #warned = false;

  constructor(settings: RequestStateSettings, { audience, clock, warn }: StateServices) {
    const { keys, ttl, maxSize } = settings;
    const store: StateStore = settings.store ?? workerStore<StateStore>("states") ?? new MemoryStateStore({ clock });
    this.#purpose = `mcp-request-state/v2/${audience}`;
    if (keys !== undefined) this.#ring = new KeyRing(keys, this.#purpose, () => warn(new Error(KEY_DUE)));
    this.#ephemeral = keys === undefined;
    this.#ttl = ttl;
    this.#maxSize = maxSize;
    this.#store = store;
    this.#time = new StoreClock(clock, store);
    if (settings.store !== undefined) this.sharedTexts = this.#textsIn(settings.store);
  }

  #textsIn(store: StateStore): SharedTexts {
    return {
      keep: async (key, text, { ms, share }) => {
        const name = `response ${key}`;
        await store.put(name, await this.#sealText(text, name), ms, share);
      },
      find: async (key) => {
        const name = `response ${key}`;
        const sealed = await store.get(name);
        return sealed === undefined ? undefined : this.#keys.open(sealed, name);
      },
    };
  }

  /**
   * A random key is made at its first use: some runtimes have no randomness while modules load. `tenon dev` gives all versions one key, and the workers of
   * one program have one.
   */
  get #keys(): KeyRing {
    const key = devHost()?.stateKey ?? workerHost()?.key ?? crypto.getRandomValues(new Uint8Array(32));
    return (this.#ring ??= new KeyRing([key], this.#purpose));
  }

  /** Reads the time of the store, before states are sealed or opened. Never fails. */
  readTime(): MaybePromise<void> {
    return this.#time.refresh();
  }

  /** The record with the time at which the next claim of its call expires. */
  withDeadline(record: JournalRecord): JournalRecord {
    return record.d === undefined ? { ...record, d: this.#time.now() + TTLS_BETWEEN_CLAIMS * this.#ttl } : record;
  }

  /**
   * @param record with a deadline
   * @throws LimitExceededError (or rejects) if the journal has more than 1 MiB; McpError -32600 if its deadline has passed
   */
  seal(record: JournalRecord, owner: StateOwner): MaybePromise<string> {
    const now = this.#time.now();
    const expires = Math.min(now + this.#ttl, record.d!);
    if (expires <= now) throw callExpiredError(TTLS_BETWEEN_CLAIMS * this.#ttl);
    return andThen(this.#seal({ e: expires, j: record }, owner.binding), (text) =>
      text.length <= this.#maxSize ? text : this.#keep(text, expires, owner),
    );
  }

  /** Keeps a state that is too large in the store; the client gets a sealed handle. */
  async #keep(text: string, expires: number, { binding, share }: StateOwner): Promise<string> {
    if (text.length > MAX_STORED) throw new LimitExceededError("requestState", MAX_STORED, text.length, ErrorCode.InternalError);
    const handle = crypto.randomUUID();
    await this.#store.put(handle, text, this.#ttl, share);
    return this.#seal({ e: expires, h: handle }, binding);
  }

  /** True for the first round only of all with the same claim, on all nodes that share the store. */
  claim({ c, n, d }: JournalRecord, share: string): MaybePromise<boolean> {
    return this.#store.claim(`${c} ${n}`, Math.max(1, d! - this.#time.now()), share);
  }

  #seal(sealed: Sealed, binding: string): MaybePromise<string> {
    return this.#sealText(JSON.stringify(sealed), binding);
  }

  #sealText(text: string, binding: string): MaybePromise<string> {
    return this.#keys.seal(text, binding);
  }

  /** @throws McpError -32602, the same for every fault; the reason is in `cause` */
  async open(text: string, binding: string): Promise<JournalRecord> {
    try {
      if (text.length > this.#maxSize) throw new LimitExceededError("requestState.maxSize", this.#maxSize, text.length);
      await this.readTime();
      let sealed = await this.#unseal(text, binding);
      if ("h" in sealed) sealed = await this.#unseal((await this.#store.get(sealed.h)) ?? "", binding);
      if (!("j" in sealed)) throw new Error("A handle of a handle");
      return sealed.j;
    } catch (error) {
      throw invalidStateError(this.#explain(error));
    }
  }

  #unseal(text: string, binding: string): MaybePromise<Sealed> {
    return andThen(this.#keys.open(text, binding), (plain) => {
      const sealed: unknown = JSON.parse(plain);
      if (!isJsonObject(sealed) || !((sealed["e"] as number) > this.#time.now())) throw new Error("Expired");
      return sealed as Sealed; // authentic: this server wrote it
    });
  }

  /** Explains an unknown key: if every process makes its own random key, there are probably several processes. */
  #explain(error: unknown): unknown {
    if (!(error instanceof UnknownKeyError) || !this.#ephemeral || this.#warned) return error;
    this.#warned = true;
    return new Error(
      'A requestState was sealed with a key that this process does not have. If there are several processes, or this one restarts, give all of them the same option "requestState: { keys }".',
      { cause: error },
    );
  }
}

function callExpiredError(ms: number): McpError {
  const message = `The call has asked questions for more than ${ms} ms without a new step, which is six times "requestState.ttl": call again without requestState`;
  return new McpError(ErrorCode.InvalidRequest, message);
}

const SEALED = /^v1\.[\w-]{8}\.[\w-]+$/;

/** Whether a state has the form of a sealed one: any other is refused before anything is computed. */
export function isSealed(state: string): boolean {
  return SEALED.test(state);
}

/** The client's error for a state that does not open: the same for every reason. @param cause for the operator only */
export function invalidStateError(cause: unknown): McpError {
  return Object.freeze(new McpError(ErrorCode.InvalidParams, "Invalid or expired requestState", undefined, { cause }));
}
