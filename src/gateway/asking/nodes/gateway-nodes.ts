/**
 * This gateway as one of several nodes: a client without a session may bring its answers to any node, and the call that waits for them is
 * held by one. Only that node answers the server; the others pass the round on.
 *
 * A gateway joins when it first needs to: when it holds a call, or gets a round of another node.
 */
import { finishesWithin, type Clock } from "../../../base/clock.ts";
import type { ClusterStores } from "../../../cluster/cluster-stores.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { NodeCalls } from "../../../server/http/nodes/node-calls.ts";
import { FleetNode } from "../../../server/http/nodes/node.ts";
import type { ClientRound } from "../client-round.ts";
import type { SuspendedCall } from "../suspended-call.ts";
import { PassedRounds, type RoundAddress } from "./passed-rounds.ts";
import { TakenRounds } from "./taken-rounds.ts";

/** Milliseconds that other nodes have to take what this one still sends while it closes. */
const LEAVE_MS = 5_000;

export interface GatewayNodesOptions extends Pick<ClusterStores, "keyed" | "bus"> {
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** The suspended call with that id, if this process holds it. */
  readonly find: (call: string) => SuspendedCall | undefined;
}

interface Joined {
  readonly node: FleetNode;
  readonly calls: NodeCalls;
  readonly passed: PassedRounds;
  readonly taken: TakenRounds;
}

export class GatewayNodes {
  readonly #options: GatewayNodesOptions;
  #joining: Promise<Joined> | undefined;

  constructor(options: GatewayNodesOptions) {
    this.#options = options;
  }

  /** The number under which other nodes reach this one; undefined while the stores cannot be reached. */
  async number(): Promise<number | undefined> {
    try {
      return (await this.#joined()).node.number;
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  /** As {@link PassedRounds.pass}. @throws StoreUnavailableError too */
  async pass(address: RoundAddress, client: ClientRound): Promise<JsonObject | undefined> {
    return (await this.#joined()).passed.pass(address, client);
  }

  /** A join that failed is tried again with the next round. */
  #joined(): Promise<Joined> {
    this.#joining ??= join(this.#options).catch((error: unknown) => {
      this.#joining = undefined;
      throw error;
    });
    return this.#joining;
  }

  /** Leaves, after the rounds that have ended were sent. */
  async leave(): Promise<void> {
    const joined = await this.#joining?.catch(() => undefined);
    if (joined === undefined) return;
    await finishesWithin(this.#options.clock, LEAVE_MS, joined.taken.settled());
    joined.calls.stop();
    await joined.node.stop();
  }
}

/** @throws StoreUnavailableError */
async function join({ keyed, bus, clock, report, find }: GatewayNodesOptions): Promise<Joined> {
  const node = await FleetNode.start({ keyed, clock, report });
  const calls: NodeCalls = new NodeCalls(
    { node, bus, keyed, clock, report },
    {
      round: (body) => taken.take(body),
      roundCancelled: (body) => taken.cancelled(body),
      roundEnded: (body) => passed.ended(body),
      roundTold: (body) => passed.told(body),
    },
  );
  const passed = new PassedRounds({ number: node.number, calls, clock, report });
  const taken = new TakenRounds({ calls, find, report });
  try {
    await calls.start();
  } catch (error) {
    calls.stop();
    await node.stop();
    throw error;
  }
  return { node, calls, passed, taken };
}
