/** The rules that must hold of every world, whatever went wrong in it. Each adds to the ledger what breaks it. */
import { acceptorOf } from "tenon";
import type { ServerCore } from "../../packages/tenon/src/server/server-core.ts";
import type { Effect, Operation } from "./ledger.ts";
import { MAX_RUNS } from "./server.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Looked at when the storm is long over, and everything could have come to an end. */
export function checkCalm(world: World, workload: Workload): void {
  const { ledger } = world;
  for (const operation of ledger.operations) checkOperation(world, operation);
  for (const name of workload.running) if (!name.endsWith("watching")) ledger.violated(`${name} has not come to an end`);
  checkEffects(world);
  for (const [id, runs] of ledger.runs) {
    const most = ledger.poisoned.has(id) ? MAX_RUNS : 10;
    if (runs > most) ledger.violated(`a task ran ${runs} times, and may run ${most} times`);
  }
  for (const { name, seen, watchEnded } of workload.actors) {
    if (!watchEnded && seen !== world.counter) ledger.violated(`${name} still watches, and has seen ${seen} of ${world.counter}`);
  }
  const { toldAt = Infinity, name } = workload.watcher ?? { name: "" };
  if (toldAt < world.countedAt)
    ledger.violated(`${name} only watches, and was told nothing since ${toldAt} of a change at ${world.countedAt}`);
  for (const { id, status } of world.disk.allTasks()) {
    if (status === "working") ledger.violated(`task ${id} still works: abandoned`);
  }
}

/** Each call has one response or fails as lost; its progress is in order, each once, without a gap. */
function checkOperation({ ledger }: World, { name, outcome, told, total, complete }: Operation): void {
  if (outcome === "pending") ledger.violated(`${name} was neither answered nor told to be lost`);
  for (const [index, number] of told.log.entries()) {
    if (number !== index + 1) return ledger.violated(`${name} was told ${told.log.join(" ")}`);
  }
  const isGrowing = told.progress.every((progress, index) => index === 0 || progress > told.progress[index - 1]!);
  if (!isGrowing) ledger.violated(`${name} was told of progress ${told.progress.join(" ")}`);
  if (!name.endsWith(" count") || outcome !== "result" || !complete) return;
  if (told.log.length !== total) ledger.violated(`${name} was told ${told.log.join(" ")} of ${total}`);
}

/** No step twice. A task's step may run again if the process died that ran it first; then it has the same key. */
function checkEffects({ ledger }: World): void {
  const done = new Map<string, Effect>();
  for (const effect of ledger.effects) {
    const { call, step, key, task, at } = effect;
    const name = `${call} ${task ?? ""} ${step}`;
    const before = done.get(name);
    done.set(name, effect);
    if (before === undefined) continue;
    if (task === undefined) ledger.violated(`${step} of ${call} was done twice`);
    else if (before.key !== key) ledger.violated(`${step} of ${call} was done with two keys`);
    else if (before.diedAt() > at) ledger.violated(`${step} of ${call} was done twice by processes that live`);
  }
}

/** Checked when everything is closed, and every timeout is over: nothing may be left. */
export function checkLeftovers(world: World, workload: Workload): void {
  const { ledger, network, disk, processes, clock } = world;
  const left = (what: string, count: number): void => {
    if (count !== 0) ledger.violated(`left: ${count} ${what}`);
  };
  const living = processes.filter((process) => !process.dead);
  for (const { machine, server, clock: timers, connections } of living) {
    left(`timers of ${machine.name}`, timers.pending);
    left(`connections of ${machine.name}`, connections.size);
    left(`leaked handlers of ${machine.name}`, (acceptorOf(server) as ServerCore).chain.leakedHandlers.running); // what an `McpServer` has
  }
  for (const actor of workload.actors) left(`timers of ${actor.name}`, actor.clock.pending);
  if (workload.watcher !== undefined) left(`timers of ${workload.watcher.name}`, workload.watcher.actor.clock.pending);
  if (workload.group !== undefined) left("timers of the group", workload.group.clock.pending);
  for (const name of workload.running) ledger.violated(`${name} has not come to an end`);
  left("exchanges", network.open.size);
  left("timers", clock.pending);
  if (living.length < processes.length) return; // what the dead leave on the disk expires there
  left("listeners for tasks", disk.listeners);
}
