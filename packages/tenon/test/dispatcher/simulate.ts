/** Runs one simulation in its own world, and returns what went wrong. */
import { turn } from "../support/virtual-clock.ts";
import type { InboundRequest } from "../../src/dispatch/dispatcher.ts";
import type { JsonObject, RequestId } from "../../src/jsonrpc/message.ts";
import type { Fault, Run, Side, Step } from "./steps.ts";
import { World, type Call, type WorldKind } from "./world.ts";

type Subject = typeof import("./subject.ts");

/** The violated rules; empty if all held. */
export async function simulate(subject: Subject, kind: WorldKind, { steps, slowWrites }: Run): Promise<readonly string[]> {
  const world = new World(subject, kind, slowWrites);
  let open = true;
  for (const step of steps) {
    await carryOut(world, step);
    if (world.closing && open) await world.assertEnded();
    open = !world.closing;
    if (world.violations.length > 0) break;
  }
  await world.settleDown();
  await world.finish();
  return world.violations;
}

async function carryOut(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case "call":
      void world.call(step);
      return;
    case "finish":
      return finish(world, step.pick, step.how);
    case "progress":
      return report(world, step.pick);
    case "abort": {
      const call = pickOf(
        world.calls.filter(({ settled }) => !settled),
        step.pick,
      );
      if (call === undefined) return;
      world.abort(call);
      if (step.pick % 2 === 0) return;
      await turn();
      world.assertTold(call);
      return;
    }
    case "notify":
      return world.notify(step.side);
    case "advance":
      return world.clock.advance(step.ms);
    case "turn":
      return turn();
    case "fault":
      if (world.wire !== undefined && !world.closing) inject(world, step.side, step.fault, step.pick);
      return;
    case "close":
      void world.close(step.side);
      return;
    case "end":
      world.closing = true;
      if (world.wire === undefined) void world.close(step.side);
      else world.wire.break();
  }
}

/** Some progress notifications, one of which may not grow, from a handler whose caller requested them. */
function report(world: World, pick: number): void {
  const handling = pickOf(
    world.handlings.filter(({ running, request }) => running && tokenOf(request) !== undefined),
    pick,
  );
  if (handling === undefined) return;
  const { request } = handling;
  const progressToken = tokenOf(request);
  for (const progress of [++handling.steps, pick % 2 === 0 ? handling.steps : 0, ++handling.steps]) {
    void request.notify("notifications/progress", { progressToken, progress });
  }
}

function tokenOf({ params }: InboundRequest): unknown {
  return (params?.["_meta"] as JsonObject | undefined)?.["progressToken"];
}

function finish(world: World, pick: number, how: "result" | "refuse" | "crash"): void {
  const handling = pickOf(
    world.handlings.filter(({ running, plan, resolve }) => running && plan !== "hang" && resolve !== undefined),
    pick,
  );
  if (handling === undefined) return;
  const { nonce } = handling;
  if (how === "result") handling.resolve!({ nonce });
  else handling.reject!(how === "refuse" ? world.refusal(nonce) : world.crash(nonce));
  delete handling.resolve;
}

function inject(world: World, side: Side, fault: Fault, pick: number): void {
  const wire = world.wire!;
  const push = (message: unknown): void => wire.inject(side, JSON.stringify(message));
  const foreign = `foreign ${pick % 3}`;
  switch (fault) {
    case "request":
      return push({
        jsonrpc: "2.0",
        id: foreign,
        method: "work",
        params: { nonce: -1 - wire.log.length, wish: { plan: pick === 9 ? "now" : "wait", then: "now", touch: true } },
      });
    case "cancelRequest":
      return push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: foreign } });
    case "unknownAnswer":
      return push({ jsonrpc: "2.0", id: 9_000_000 + pick, result: { nonce: 0, forged: true } });
    case "laxAnswer":
      return forgeAnswer(world, side, pick, (id) =>
        push({ jsonrpc: "2.0", id: lax(id, pick), result: { nonce: 0, forged: true } }),
      );
    case "brokenAnswer":
      return forgeAnswer(world, side, pick, (id, call) => {
        call.broken = true;
        push({ jsonrpc: "2.0", id, result: "text" });
      });
    case "repeatedAnswer": {
      const answers = wire.log.filter(
        ({ from, message }) =>
          from !== side &&
          !("method" in message) &&
          typeof message["id"] === "number" &&
          message["id"] < 7000 &&
          message["id"] > 0,
      );
      const repeated = pickOf(answers, pick);
      if (repeated !== undefined) push({ ...repeated.message, forged: true });
      return;
    }
    case "unknownCancel":
      return push({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: pick % 2 === 0 ? `nobody ${pick}` : [pick] },
      });
    case "unknownProgress":
      return push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: `nobody ${pick}`, progress: 1 } });
    case "garbage":
      return wire.inject(side, "{".repeat(pick + 1));
    case "invalid":
      return push({ jsonrpc: "2.0", id: null, method: "work" });
    case "batch":
      return push([{ jsonrpc: "2.0", id: foreign, method: "work" }]);
  }
}

/** A response to a pending call of `side`, made up by the peer. */
function forgeAnswer(world: World, side: Side, pick: number, forge: (id: RequestId, call: Call) => void): void {
  const call = pickOf(
    world.calls.filter((call) => call.side === side && !call.settled),
    pick,
  );
  const written = world.wire!.log.find(
    ({ message }) => "method" in message && (message["params"] as JsonObject | undefined)?.["nonce"] === call?.nonce,
  );
  if (call !== undefined && written !== undefined) forge(written.message["id"] as RequestId, call);
}

/** Something that is not the id, though `Number()` and the like would take it for it. */
function lax(id: RequestId, pick: number): RequestId {
  if (typeof id === "string") return `${id} `;
  return [` ${id}`, `${id} `, `${id}.5`, `${id}e0`, `0x${Math.abs(id).toString(16)}`][pick % 5]!;
}

function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[items.length === 0 ? 0 : pick % items.length];
}
