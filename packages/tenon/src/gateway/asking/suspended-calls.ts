/** The suspended calls of a process: continues the call that a state names, here or at another node, and bounds how many there are. */
import { randomId } from "../../base/bytes.ts";
import type { Clock } from "../../base/clock.ts";
import type { ClusterStores } from "../../storage/shared-stores.ts";
import { MaybeSentError } from "../../cluster/node-calls.ts";
import { UnreachableRoundError } from "../../cluster/passed-rounds.ts";
import { RoundNodes } from "../../cluster/round-nodes.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { StoreUnavailableError } from "../../stores/store-error.ts";
import { KeptResults } from "./kept-results.ts";
import type { HeldRoom } from "./held-room.ts";
import { PassedRound, passedRoundOf, tellClient, type ClientRound } from "./client-round.ts";
import type { Settings } from "../settings.ts";
import type { States, SuspendedState } from "./states.ts";
import { CLOSED, type SuspendedCall, type SuspendedCallHost } from "./suspended-call.ts";

/** Milliseconds that other nodes have to take what this one still sends while it closes. */
const LEAVE_MS = 5_000;

export class SuspendedCalls implements SuspendedCallHost {
  readonly clock: Clock;
  readonly ttl: number;
  readonly room: HeldRoom;
  isClosed = false;
  readonly #boot: string = randomId();
  readonly #settings: Settings;
  readonly #states: States;
  /** The calls that states name. */
  readonly #calls = new Map<string, SuspendedCall>();
  /** Calls that run at their servers. Some wait for a client, and some for the rest of a round of questions. */
  readonly #running = new Set<SuspendedCall>();
  readonly #results: KeptResults<SuspendedCall>;
  #nodes: RoundNodes | undefined;

  constructor(settings: Settings, states: States, room: HeldRoom) {
    this.clock = settings.clock;
    this.ttl = settings.stateTtl;
    this.room = room;
    this.#settings = settings;
    this.#states = states;
    this.#results = new KeptResults(room, (call) => this.forget(call));
  }

  /** Lets other nodes with these stores take up the calls of this one. Only the first stores count. */
  share({ keyed, bus }: Pick<ClusterStores, "keyed" | "bus">): void {
    const report = (error: unknown): void => this.#settings.report(error, { method: "requestState" });
    this.#nodes ??= new RoundNodes({
      keyed,
      bus,
      clock: this.clock,
      report,
      begin: (round, taken) => this.#calls.get(round["call"] as string)?.continue(new PassedRound(round, taken), round["round"] as number), // a node wrote it
    });
  }

  /**
   * Takes up a round, and resolves with what comes next in its call. The call is never sent again.
   * @throws McpError -32603 if no node holds the call, or if the stores are away; -32602 if the round is not the current one
   */
  async continue(state: SuspendedState, client: ClientRound, lost: LostCall): Promise<JsonObject> {
    const { boot, node, call, round } = state;
    const found = this.find(state);
    if (found !== undefined) return found.continue(client, round);
    const isElsewhere = boot !== this.#boot && node !== undefined;
    const passed = isElsewhere ? this.#nodes?.pass(node, passedRoundOf({ call, round }, client), tellClient(client)) : undefined;
    const ending = await passed?.catch(throwUnreachable);
    if (ending === undefined) throw lostError(lost);
    if ("error" in ending) throw McpError.fromErrorData(ending.error);
    return ending.result;
  }

  /** The call that a state names, if this process holds it. */
  find({ boot, call }: SuspendedState): SuspendedCall | undefined {
    return boot === this.#boot ? this.#calls.get(call) : undefined;
  }

  began(call: SuspendedCall): void {
    this.#running.add(call);
  }

  settled(call: SuspendedCall): void {
    this.#running.delete(call);
  }

  keep(call: SuspendedCall): void {
    if (this.#calls.has(call.id)) return;
    this.#results.hold(call);
    this.#calls.set(call.id, call);
  }

  keepResult(call: SuspendedCall, ended: unknown): void {
    this.#results.add(call, ended);
  }

  forget(call: SuspendedCall): void {
    this.#calls.delete(call.id);
    this.#results.delete(call);
  }

  async seal(call: SuspendedCall, round: number): Promise<string> {
    const node = await this.#nodes?.number();
    const { server, id } = call.place;
    const at = { boot: this.#boot, ...(node !== undefined && { node }) };
    return this.#states.seal({ type: "suspended", ...at, call: call.id, round, server, id }, call.binding);
  }

  /** Ends all of them. Resolves when the servers have ended those that asked something: they got a refusal. */
  async close(): Promise<void> {
    this.isClosed = true;
    const asking = [...this.#running].filter((call) => call.isAsking);
    for (const call of asking) call.abandon(CLOSED);
    await Promise.all(asking.map((call) => call.ended));
  }

  /** Ends the exchange with other nodes, after the servers were closed: what their calls end with is sent to the nodes that wait. */
  async leave(): Promise<void> {
    await this.#nodes?.leave(LEAVE_MS);
  }
}

/** The stores failed while a round was passed on: its node may have it, unless they say that nothing was sent. @throws UnreachableRoundError; any other error unchanged */
function throwUnreachable(error: unknown): never {
  const mayHaveRun = error instanceof MaybeSentError || (error instanceof StoreUnavailableError && error.delivery === "unknown");
  throw mayHaveRun ? new UnreachableRoundError(error) : error;
}

export interface LostCall {
  readonly server: string;
  /** Whether the client may make the call again without harm. */
  readonly repeatable: boolean;
}

function lostError({ server, repeatable }: LostCall): McpError {
  const message = `The call to server "${server}" that waited for this answer is gone. It may or may not have had its effect`;
  const advice = repeatable ? ", and can be made again" : "";
  const data = { server, reason: "suspended_call_lost", delivery: "unknown", repeatable };
  return new McpError(ErrorCode.InternalError, message + advice, data);
}
