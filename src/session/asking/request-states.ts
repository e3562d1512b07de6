/**
 * `requestState`: the journal of a call, sealed, bound to that call, and good for a while (H5, H6).
 *
 * What comes back is an attacker's until it has been opened. Every reason not to open it is one and the same error for
 * the client; the operator is told which it was.
 */
import { type Clock, wallNow } from "../../base/clock.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { KeyRing, UnknownKeyError } from "./key-ring.ts";
import type { JournalRecord } from "./journal.ts";
import { MemoryStateStore } from "./memory-state-store.ts";
import type { RequestStateOptions, StateStore } from "./options.ts";

/** What is sealed: until when it is good, and the journal or the key of a stored one. */
type Sealed = { e: number } & ({ j: JournalRecord } | { h: string });

const DEFAULT_TTL = 600_000;
const DEFAULT_SIZE = 8_192;
/** Half of what random nonces of 96 bits are good for with one key. */
const DEFAULT_SEALS = 2 ** 31;
/** Longest state there can be anywhere. */
const MAX_STORED = 2 ** 20;
/**
 * A client may send an old state again and get a new one for it, which lives longer. So that no such state outlives the claim of the step
 * that is to run once, all states between two claims end together, after this many times `ttl`.
 */
const TTLS_BETWEEN_CLAIMS = 6;

/** The call that a state is good for. */
export interface StateOwner {
  /** What the state is bound to. */
  readonly binding: string;
  /** Whose share of the store it takes room of. */
  readonly share: string;
}

/** The server, as its states see it. */
export interface StateServices {
  /** The server's name: a state is good for one server only. */
  readonly audience: string;
  readonly clock: Clock;
  /** Told what the operator has to do something about. */
  readonly warn: (warning: Error) => void;
}

export class RequestStates {
  #ring: KeyRing | undefined;
  readonly #purpose: string;
  readonly #ttl: number;
  readonly #maxSize: number;
  readonly #store: StateStore;
  readonly #clock: Clock;
  readonly #ephemeral: boolean;
  readonly #warnAfterSeals: number;
  readonly #warn: (warning: Error) => void;
  #warned = false;

  constructor(options: RequestStateOptions, { audience, clock, warn }: StateServices) {
    const { keys, ttl = DEFAULT_TTL, maxSize = DEFAULT_SIZE, warnAfterSeals = DEFAULT_SEALS } = options;
    const { store = new MemoryStateStore({ clock }) } = options;
    this.#clock = clock;
    this.#warnAfterSeals = warnAfterSeals;
    this.#warn = warn;
    this.#purpose = `mcp-request-state/v2/${audience}`;
    if (keys !== undefined) this.#ring = new KeyRing(keys, this.#purpose);
    this.#ephemeral = keys === undefined;
    this.#ttl = ttl;
    this.#maxSize = maxSize;
    this.#store = store;
  }

  /** A random key is not made before it is needed: some runtimes have no randomness while modules load. */
  get #keys(): KeyRing {
    return (this.#ring ??= new KeyRing([crypto.getRandomValues(new Uint8Array(32))], this.#purpose));
  }

  /** The record with the time at which the next claim of its call ends. */
  withDeadline(record: JournalRecord): JournalRecord {
    return record.d === undefined ? { ...record, d: wallNow(this.#clock) + TTLS_BETWEEN_CLAIMS * this.#ttl } : record;
  }

  /**
   * @param record with a deadline
   * @throws LimitExceededError (or rejects) for a journal of more than 1 MiB; McpError -32600 if its deadline is over
   */
  seal(record: JournalRecord, owner: StateOwner): MaybePromise<string> {
    const now = wallNow(this.#clock);
    const expires = Math.min(now + this.#ttl, record.d!);
    if (expires <= now) throw callExpiredError(TTLS_BETWEEN_CLAIMS * this.#ttl);
    return andThen(this.#seal({ e: expires, j: record }, owner.binding), (text) =>
      text.length <= this.#maxSize ? text : this.#keep(text, expires, owner),
    );
  }

  /** What is too large to travel stays in the store; a handle of it travels. */
  async #keep(text: string, expires: number, { binding, share }: StateOwner): Promise<string> {
    if (text.length > MAX_STORED) throw new LimitExceededError("requestState", MAX_STORED, text.length, ErrorCode.InternalError);
    const handle = crypto.randomUUID();
    await this.#store.put(handle, text, this.#ttl, share);
    return this.#seal({ e: expires, h: handle }, binding);
  }

  /** True for one round only of all that were given the same claim to make, on all nodes that share the store. */
  claim({ c, n, d }: JournalRecord, share: string): MaybePromise<boolean> {
    return this.#store.claim(`${c} ${n}`, Math.max(1, d! - wallNow(this.#clock)), share);
  }

  #seal(sealed: Sealed, binding: string): MaybePromise<string> {
    const keys = this.#keys;
    if (keys.seals === this.#warnAfterSeals) {
      const message = `The first of "requestState.keys" has sealed ${keys.seals} states (limit "requestState.warnAfterSeals"): put a new key in front of it`;
      this.#warn(new Error(message));
    }
    return keys.seal(JSON.stringify(sealed), binding);
  }

  /** @throws McpError -32602, the same for everything that can be wrong with it; why is in `cause` */
  async open(text: string, binding: string): Promise<JournalRecord> {
    try {
      if (text.length > this.#maxSize) throw new LimitExceededError("requestState.maxSize", this.#maxSize, text.length);
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
      if (!isJsonObject(sealed) || !((sealed["e"] as number) > wallNow(this.#clock))) throw new Error("Expired");
      return sealed as Sealed; // authentic: this server wrote it
    });
  }

  /** A strange key where every process makes up its own most likely means that there are several of them. */
  #explain(error: unknown): unknown {
    if (!(error instanceof UnknownKeyError) || !this.#ephemeral || this.#warned) return error;
    this.#warned = true;
    return new Error(
      'A requestState was sealed with a key this process does not have. Where there are several processes, or this one restarts, give all of them the same option "requestState: { keys }".',
      { cause: error },
    );
  }
}

function callExpiredError(ms: number): McpError {
  const message = `The call has asked for more than ${ms} ms without a new step, which is six times "requestState.ttl": call anew without requestState`;
  return new McpError(ErrorCode.InvalidRequest, message);
}

const SEALED = /^v1\.[\w-]{8}\.[\w-]+$/;

/** Whether a state has the form of a sealed one: any other is refused before anything is computed. */
export function isSealed(state: string): boolean {
  return SEALED.test(state);
}

/** What a client is told of a state that does not open: the same, whatever is wrong with it. @param cause for the operator only */
export function invalidStateError(cause: unknown): McpError {
  return Object.freeze(new McpError(ErrorCode.InvalidParams, "Invalid or expired requestState", undefined, { cause }));
}
