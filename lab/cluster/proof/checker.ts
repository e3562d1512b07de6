/**
 * Says which guarantees a history breaks. A pure function: it asks no node, so a kept history can be checked again.
 *
 * Each rule has a name, which the negative controls use to prove that it can fail.
 */
import { COUNT, expectedOf, unheardOf, type Effect, type Fault, type History, type Operation } from "./history.ts";

/**
 * Milliseconds within which an operation must be settled: without a fault, and after the aftermath of the last fault that it met.
 */
const SETTLED_WITHIN = 10_000;
/** Milliseconds after the kill of a node within which each operation that was open must be settled. A busy machine needs more. */
const SETTLED_AFTER_KILL = 4_000;
/** Milliseconds after a fault in which calls may still fail: leases end, a balancer notices, connections are made again. */
const AFTERMATH = 5_000;
/** Milliseconds in which a node that is killed may not have written a change yet: changes of 50 ms are written together. */
const UNWRITTEN = 1_000;

export type Rule = "settled" | "cause" | "result" | "effects" | "order" | "session";

export interface Violation {
  readonly rule: Rule;
  readonly operation: string;
  readonly what: string;
}

/** `within`: milliseconds after a kill, if the machine is too slow for the rule. */
export function check(history: History, within: number = SETTLED_AFTER_KILL): Violation[] {
  const effects = new Map<string, Effect[]>(history.operations.map(({ id }) => [id, []]));
  for (const effect of history.effects) effects.get(effect.operation)?.push(effect);
  return history.operations
    .map((each) => unlessLost(each, history))
    .flatMap((operation) => {
      const met = history.faults.filter((fault) => meets(operation, fault));
      const done = effects.get(operation.id) ?? [];
      const found: [Rule, string | undefined][] = [
        ["settled", unsettled(operation, met, within)],
        ["cause", withoutCause(operation, met)],
        ["result", wrongResult(operation)],
        ["effects", wrongEffects(operation, done, met)],
        ["order", wrongOrder(operation)],
        ["session", wrongSession(operation)],
      ];
      return found.flatMap(([rule, what]) => (what === undefined ? [] : [{ rule, operation: operation.id, what }]));
    });
}

/** No client hears of a change that its node took along when it was killed. It counts as settled with its response. */
function unlessLost(operation: Operation, { effects, faults }: History): Operation {
  const { id, answered } = operation;
  const node = effects.find((effect) => effect.operation === id)?.node;
  const isLost = faults.some(
    ({ what, target, began }) =>
      what === "kill" && target.endsWith(` ${node}`) && answered !== undefined && Math.abs(began - answered) <= UNWRITTEN,
  );
  if (!isLost || operation.value !== unheardOf(id)) return operation;
  return { ...operation, value: expectedOf(operation), ended: answered! };
}

/** Whether a fault may have disturbed an operation. A drain disturbs none. */
function meets({ began, ended = Infinity }: Operation, fault: Fault): boolean {
  return fault.what !== "drain" && began <= fault.ended + AFTERMATH && ended >= fault.began;
}

/** Every operation ends, and in time. */
function unsettled(operation: Operation, met: readonly Fault[], within: number): string | undefined {
  const { began, ended } = operation;
  const last = Math.max(began, ...met.map((fault) => fault.ended + AFTERMATH));
  if (ended === undefined) return "the client never learned the outcome";
  if (ended - last > Math.max(SETTLED_WITHIN, within)) return `took ${Math.round(ended - began)} ms`;
  const waited = Math.max(...met.filter(({ what }) => what === "kill").map((fault) => settledAfter(operation, fault) ?? 0), 0);
  return waited > within ? `was settled ${Math.round(waited)} ms after the kill of a node` : undefined;
}

/**
 * Milliseconds from a fault until an operation that was open then was settled; undefined if it was not open, or never settled.
 */
function settledAfter({ began, ended }: Operation, fault: Fault): number | undefined {
  return ended !== undefined && began <= fault.began && ended >= fault.began ? ended - fault.began : undefined;
}

/**
 * The longest time from each kind of fault until an operation that was open then was settled, in milliseconds. An engine that is
 * away is waited for, so the time counts from its return.
 */
export function longestWaits(history: History): Map<Fault["what"], number> {
  const { faults } = history;
  const operations = history.operations.map((each) => unlessLost(each, history));
  const waits = new Map<Fault["what"], number>();
  for (const fault of faults) {
    const away = fault.what === "engine" || fault.what === "link" ? fault.ended - fault.began : 0;
    const settled = operations.map((operation) => (settledAfter(operation, fault) ?? 0) - away);
    waits.set(fault.what, Math.max(waits.get(fault.what) ?? 0, ...settled));
  }
  return waits;
}

/** Without a fault nothing fails. */
function withoutCause({ outcome, error }: Operation, met: readonly Fault[]): string | undefined {
  return outcome === "failed" && met.length === 0 ? `failed without a fault: ${error}` : undefined;
}

/** A result belongs to its own call, and to the answer that was given to its own question. */
function wrongResult(operation: Operation): string | undefined {
  const expected = expectedOf(operation);
  return operation.outcome === "ok" && operation.value !== expected
    ? `returned "${operation.value}", not "${expected}"`
    : undefined;
}

/** A call has one effect if it succeeded, none if it was not sent, and never two: no node repeats a call by itself. */
function wrongEffects(
  { kind, outcome, delivery }: Operation,
  done: readonly Effect[],
  met: readonly Fault[],
): string | undefined {
  if (kind === "session" || kind === "count") return undefined;
  // the step under way may run again after a fault
  const most = delivery === "not-sent" ? 0 : kind === "ask" && met.length > 0 ? 2 : 1;
  const least = outcome === "ok" ? 1 : 0;
  if (done.length >= least && done.length <= most) return undefined;
  return `${done.length} effects instead of ${least === most ? most : `${least} to ${most}`} (at ${done.map(({ node }) => node).join(", ")})`;
}

/** Events of a stream arrive in order, without a gap or a repetition, and all of them before a result. */
function wrongOrder({ numbers, outcome }: Operation): string | undefined {
  if (numbers === undefined) return undefined;
  const inOrder = numbers.every((number, index) => number === index + 1);
  const isWhole = outcome !== "ok" || numbers.length === COUNT;
  return inOrder && isWhole ? undefined : `received ${numbers.join(" ")} of ${COUNT}`;
}

/** A session that was not deleted is known everywhere, whatever is away. */
function wrongSession({ kind, status }: Operation): string | undefined {
  return kind !== "session" && status === 404 ? "a session that was not deleted is unknown" : undefined;
}
