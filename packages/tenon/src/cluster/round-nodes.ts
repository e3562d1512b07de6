/**
 * This process as a node among others that take up each other's calls: a client without a session may bring its answers to any node, and
 * the call that waits for them is held by one. Only that node goes on with the call; the others pass the round on.
 *
 * A process joins when it first needs to: when a call waits in it, or a round of another node comes to it.
 */
import { finishesWithin } from "../base/clock.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClusterStores } from "../storage/shared-stores.ts";
import { ClusterNode, type NodeOptions } from "./node.ts";
import { NodeCalls } from "./node-calls.ts";
import { PassedRounds, type PassingClient, type RoundEnding } from "./passed-rounds.ts";
import { TakenRounds, type BeginRound } from "./taken-rounds.ts";

/** Milliseconds after a join that failed in which none is tried. */
const RETRY_MS = 1_000;

export interface RoundNodesOptions extends NodeOptions, Pick<ClusterStores, "bus"> {
  readonly begin: BeginRound;
}

interface Joined {
  readonly node: ClusterNode;
  readonly calls: NodeCalls;
  readonly passed: PassedRounds;
  readonly taken: TakenRounds;
}

export class RoundNodes {
  readonly #options: RoundNodesOptions;
  #joining: Promise<Joined> | undefined;
  #joined: Joined | undefined;
  #failed: { readonly error: unknown; readonly until: number } | undefined;
  #leaving: Promise<void> | undefined;

  constructor(options: RoundNodesOptions) {
    this.#options = options;
  }

  /** The number under which other nodes reach this one; undefined while the stores cannot be reached, and when this node leaves. */
  async number(): Promise<number | undefined> {
    if (this.#leaving !== undefined || this.#mustWait) return undefined;
    try {
      return (await this.#join()).node.number;
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  /** False if this process stood still, and has not renewed its lease since: other nodes may have taken over what it had. */
  get isAwake(): boolean {
    return this.#joined?.node.isAwake === true;
  }

  /** As {@link PassedRounds.pass}; undefined for a round of this node. @throws (rejects) StoreUnavailableError too */
  async pass(node: number, round: JsonObject, client: PassingClient): Promise<RoundEnding | undefined> {
    if (this.#leaving !== undefined && this.#joined === undefined) return undefined;
    if (this.#mustWait) throw this.#failed!.error;
    const { passed, node: own } = await this.#join();
    return node === own.number ? undefined : passed.pass(node, round, client);
  }

  get #mustWait(): boolean {
    return this.#failed !== undefined && this.#options.clock.now() < this.#failed.until;
  }

  #join(): Promise<Joined> {
    return (this.#joining ??= this.#begin());
  }

  async #begin(): Promise<Joined> {
    try {
      return (this.#joined = await join(this.#options));
    } catch (error) {
      this.#failed = { error, until: this.#options.clock.now() + RETRY_MS };
      this.#joining = undefined;
      throw error;
    }
  }

  /**
   * Leaves for good. Takes no more rounds; those that run, here or at other nodes, get `ms` milliseconds to end. Then other nodes find this
   * one gone at once. Idempotent.
   */
  leave(ms: number): Promise<void> {
    return (this.#leaving ??= this.#leave(ms));
  }

  async #leave(ms: number): Promise<void> {
    const joined = await this.#joining?.catch(() => undefined);
    if (joined === undefined) return;
    const { node, calls, passed, taken } = joined;
    const settled = Promise.all([taken.settled(), passed.settled()]);
    if (ms > 0) await finishesWithin(this.#options.clock, ms, settled);
    taken.close();
    calls.stop();
    await node.stop();
  }
}

/** @throws StoreUnavailableError */
async function join({ keyed, bus, clock, report, begin }: RoundNodesOptions): Promise<Joined> {
  const node = await ClusterNode.start({ keyed, clock, report });
  const calls: NodeCalls = new NodeCalls(
    { node, bus, keyed, clock, report },
    {
      round: (body) => taken.take(body),
      roundWaits: (body) => taken.waits(body),
      roundCancelled: (body) => taken.cancelled(body),
      roundPart: (body) => passed.part(body),
      roundEnded: (body) => passed.ended(body),
      roundTold: (body) => passed.told(body),
    },
  );
  const passed = new PassedRounds({ number: node.number, calls, clock, report });
  const taken = new TakenRounds({ calls, begin, clock, report });
  try {
    await calls.start();
  } catch (error) {
    calls.stop();
    await node.stop();
    throw error;
  }
  return { node, calls, passed, taken };
}
