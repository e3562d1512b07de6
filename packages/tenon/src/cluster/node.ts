/**
 * This process as one node of several: its number, and the lease which shows that it lives.
 *
 * The number never comes back, also not after a restart. The lease is renewed by the thread that does the work, so a process that stands
 * still loses it. No write depends on the lease: each stream names its writer. The lease only says when another node may take over.
 */
import { type Clock, type Timer, unref } from "../base/clock.ts";
import { StoreClock } from "../base/store-clock.ts";
import type { KeyedStore, Version } from "../storage/keyed-store.ts";

/** Milliseconds for which a lease outlives its last renewal. */
export const LEASE_MS = 2_500;
/** Milliseconds between two renewals. */
const RENEW_MS = 700;
/** Milliseconds after its last renewal from which on a node takes nothing over. */
const CUT_OFF_MS = 2_000;
/** Milliseconds after an outage of the store, or after the start, for which a node takes nothing over: the others renew first. */
const QUIET_MS = 3_000;
/** Milliseconds between two looks at the clock, by which a node notices that it stood still. */
const TICK_MS = 500;
/** Milliseconds without a look after which a node has stood still: other nodes may have taken over what it had. */
const STILL_MS = 2_000;
/** Numbers count the seconds since 2026 at least, so that they grow even if the store has lost its counter. */
const EPOCH_MS: number = /* @__PURE__ */ Date.UTC(2026, 0, 1);
/** Requests of one node, before ids come again. */
const MAX_REQUESTS = 2 ** 22;

export interface NodeOptions {
  readonly keyed: KeyedStore;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

export function nodeOf(requestId: number): number {
  return Math.floor(requestId / MAX_REQUESTS);
}

export class ClusterNode {
  readonly number: number;
  readonly #options: NodeOptions;
  #version: Version | undefined;
  /** When the last renewal that succeeded began. */
  #renewedAt: number;
  #quietUntil: number;
  #requests = 0;
  #writers = 0;
  #timer: Timer;
  #ticks: Timer;
  #lookedAt: number;
  /** When it noticed that it had stood still; undefined again after a renewal. */
  #wokeAt: number | undefined;
  #stopped = false;

  private constructor(options: NodeOptions, number: number, beganAt: number) {
    this.#options = options;
    this.number = number;
    this.#renewedAt = beganAt;
    this.#quietUntil = beganAt + QUIET_MS;
    this.#lookedAt = options.clock.now();
  }

  /** Draws a number and takes the lease. @throws StoreUnavailableError */
  static async start(options: NodeOptions): Promise<ClusterNode> {
    const { keyed, clock } = options;
    const time = new StoreClock(clock, keyed);
    await time.refresh();
    for (;;) {
      const beganAt = clock.now();
      const number = await keyed.next("node", Math.floor((time.now() - EPOCH_MS) / 1_000));
      const version = await keyed.swap(leaseOf(number), undefined, { value: "1", ms: LEASE_MS });
      if (version === undefined) continue; // a node with this number lives: the store has lost its counter
      const node = new ClusterNode(options, number, beganAt);
      node.#version = version;
      node.#arm();
      node.#tick();
      return node;
    }
  }

  /** The next id of a request to a client. It names this node. */
  nextRequestId(): number {
    return this.number * MAX_REQUESTS + (this.#requests++ % MAX_REQUESTS);
  }

  /** A name under which this node writes one stream. It is never used again. */
  nextWriter(): string {
    return `${this.number}.${this.#writers++}`;
  }

  /** Whether this node may take over the work of nodes that have ended. */
  get mayTakeOver(): boolean {
    const now = this.#options.clock.now();
    return !this.#stopped && now - this.#renewedAt < CUT_OFF_MS && now >= this.#quietUntil;
  }

  /** Whether another node lives, as far as the store knows. @throws StoreUnavailableError */
  async isAlive(number: number): Promise<boolean> {
    return number === this.number || (await this.#options.keyed.read(leaseOf(number))) !== undefined;
  }

  // ---- standing still ----

  /**
   * False from when the process goes on after it stood still until it has tried to renew its lease. What it reads meanwhile was sent before
   * it stood still, and its sender may have given up.
   */
  get isAwake(): boolean {
    this.#look();
    return this.#wokeAt === undefined;
  }

  #look(): void {
    const now = this.#options.clock.now();
    if (now - this.#lookedAt > STILL_MS) this.#wokeAt = now;
    this.#lookedAt = now;
  }

  #tick(): void {
    if (this.#stopped) return;
    this.#look();
    this.#ticks = this.#options.clock.setTimer(TICK_MS, () => this.#tick());
    unref(this.#ticks);
  }

  // ---- the lease ----

  #arm(): void {
    if (this.#stopped) return;
    this.#timer = this.#options.clock.setTimer(RENEW_MS, () => void this.#renew());
    unref(this.#timer);
  }

  async #renew(): Promise<void> {
    const { keyed, clock, report } = this.#options;
    const key = leaseOf(this.number);
    const beganAt = clock.now();
    this.#look();
    try {
      const held = this.#version !== undefined && (await keyed.renew(key, this.#version, LEASE_MS));
      if (!held && !this.#stopped) this.#version = await keyed.swap(key, undefined, { value: "1", ms: LEASE_MS });
      if (beganAt - this.#renewedAt >= CUT_OFF_MS) this.#quietUntil = clock.now() + QUIET_MS;
      this.#renewedAt = beganAt;
    } catch (error) {
      report(error);
    }
    this.#look();
    if (this.#wokeAt !== undefined && beganAt >= this.#wokeAt) this.#wokeAt = undefined;
    this.#arm();
  }

  /** Gives the lease back, so that others take over at once. */
  async stop(): Promise<void> {
    const { keyed, clock, report } = this.#options;
    this.#stopped = true;
    clock.clearTimer(this.#timer);
    clock.clearTimer(this.#ticks);
    try {
      if (this.#version !== undefined) await keyed.swap(leaseOf(this.number), this.#version, undefined);
    } catch (error) {
      report(error); // it ends by itself
    }
  }
}

function leaseOf(number: number): string {
  return `node ${number}`;
}

export function nodeOfWriter(writer: string): number {
  return Number(writer.split(".", 1)[0]);
}
