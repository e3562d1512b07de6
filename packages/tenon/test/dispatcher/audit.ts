/** The rules for everything that crossed the wire of a simulated run, checked afterwards. */
import type { JsonObject, RequestId } from "../../src/jsonrpc/message.ts";
import type { Side } from "./steps.ts";
import type { Crossing } from "./wire.ts";

/** A request as its receiver knows it: requests of both ends may have one id. */
export function keyOf(receiver: Side, id: RequestId): string {
  return `${receiver} ${JSON.stringify(id)}`;
}

/**
 * No request has more than one response, none has one after its cancel, and none has that of another.
 *
 * @param cancels how often a request with that key was cancelled before its response, as its handler saw it
 */
export function auditWire(log: readonly Crossing[], cancels: ReadonlyMap<string, number>): string[] {
  const violations: string[] = [];
  const asked = new Map<string, unknown[]>();
  const answered = new Map<string, number>();
  for (const { from, message } of log) {
    const id = message["id"] as RequestId | null | undefined; // only messages are in the log
    const result = message["result"] as JsonObject | undefined;
    if (id === undefined || id === null || result?.["forged"] === true || message["forged"] === true) continue;
    if ("method" in message) {
      const key = keyOf(from === 0 ? 1 : 0, id);
      asked.set(key, [...(asked.get(key) ?? []), (message["params"] as JsonObject | undefined)?.["nonce"]]);
      continue;
    }
    const key = keyOf(from, id);
    answered.set(key, (answered.get(key) ?? 0) + 1);
    if (result !== undefined && !asked.get(key)?.includes(result["nonce"]))
      violations.push(`answer to ${key} is of another request`);
  }
  for (const [key, answers] of answered) {
    const requests = asked.get(key)?.length ?? 0;
    const cancelled = cancels.get(key) ?? 0;
    if (answers + cancelled > requests)
      violations.push(`${key}: ${requests} requests, ${cancelled} cancelled, ${answers} answers`);
  }
  return violations;
}
