/**
 * Says which guarantees a history breaks. A pure function: it asks no node, so a kept history can be checked again.
 *
 * Each rule has a name, which the negative controls use to prove that it can fail.
 */
import { COUNT, expectedOf, type Effect, type Fault, type History, type Operation } from "./history.ts";

/** Milliseconds within which an operation must be settled: without a fault, and after the end of the last fault that it met. */
const SETTLED_WITHIN = 10_000;
/** Milliseconds after a fault in which calls may still fail: leases end, a balancer notices, connections are made again. */
const AFTERMATH = 5_000;

export type Rule = "settled" | "cause" | "result" | "effects" | "order" | "session";

export interface Violation {
  readonly rule: Rule;
  readonly operation: string;
  readonly what: string;
}

export function check(history: History): Violation[] {
  const effects = new Map<string, Effect[]>(history.operations.map(({ id }) => [id, []]));
  for (const effect of history.effects) effects.get(effect.operation)?.push(effect);
  return history.operations.flatMap((operation) => {
    const met = history.faults.filter((fault) => meets(operation, fault));
    const done = effects.get(operation.id) ?? [];
    const found: [Rule, string | undefined][] = [
      ["settled", unsettled(operation, met)],
      ["cause", withoutCause(operation, met)],
      ["result", wrongResult(operation)],
      ["effects", wrongEffects(operation, done, met)],
      ["order", wrongOrder(operation)],
      ["session", wrongSession(operation)],
    ];
    return found.flatMap(([rule, what]) => (what === undefined ? [] : [{ rule, operation: operation.id, what }]));
  });
}

function meets({ began, ended = Infinity }: Operation, fault: Fault): boolean {
  return began <= fault.ended + AFTERMATH && ended >= fault.began;
}

/** Every operation ends, and in time. */
function unsettled({ began, ended }: Operation, met: readonly Fault[]): string | undefined {
  const last = Math.max(began, ...met.map((fault) => fault.ended + AFTERMATH));
  if (ended === undefined) return "the client never learned the outcome";
  return ended - last > SETTLED_WITHIN ? `took ${Math.round(ended - began)} ms` : undefined;
}

/** Without a fault nothing fails. */
function withoutCause({ outcome, error }: Operation, met: readonly Fault[]): string | undefined {
  return outcome === "failed" && met.length === 0 ? `failed without a fault: ${error}` : undefined;
}

/** A result belongs to its own call, and to the answer that was given to its own question. */
function wrongResult(operation: Operation): string | undefined {
  const expected = expectedOf(operation);
  return operation.outcome === "ok" && operation.value !== expected ? `returned "${operation.value}", not "${expected}"` : undefined;
}

/** A call has one effect if it succeeded, none if it was not sent, and never two: no node repeats a call by itself. */
function wrongEffects({ kind, outcome, delivery }: Operation, done: readonly Effect[], met: readonly Fault[]): string | undefined {
  if (kind === "session" || kind === "count") return undefined;
  const most = delivery === "not-sent" ? 0 : kind === "ask" && met.length > 0 ? 2 : 1; // the step under way may run again after a fault
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
