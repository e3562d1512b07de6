/**
 * What peers write in another form than their revision has it: it is mended and told, or refused if deviations are refused
 * (option `strict`). A message that fits never comes here.
 */
import type { McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject, MendedMember } from "../jsonrpc/message.ts";
import { Findings, type Reading } from "./deviations.ts";
import type { Mend } from "./mending.ts";
import type { ShapeCheck } from "./shape.ts";

/** Tells of what was mended outside of the params or the result. @throws `refuse` if deviations are refused */
export function noteEnvelope(
  members: readonly MendedMember[],
  method: string,
  reading: Reading | undefined,
  refuse: (problem: string) => McpError,
): void {
  if (reading === undefined) return;
  for (const { name, was } of members) {
    const what = was === "null" ? "is null" : "is an empty list, not an object";
    const message = `"${name}" of the message ${what}`;
    if (reading.strict) throw refuse(`: ${message}`);
    reading.deviated({ kind: was, method, path: name, message });
  }
}

/** Deployed servers with sessions write an empty cursor on the last page. @throws `refuse` if deviations are refused */
export function withoutCursor(result: JsonObject, method: string, reading: Reading, refuse: (problem: string) => McpError): JsonObject {
  const { nextCursor: _, ...rest } = result;
  if (reading.strict) throw refuse(".nextCursor is empty");
  reading.deviated({ kind: "empty-cursor", method, path: "result.nextCursor", message: "result.nextCursor is empty" });
  return rest;
}

export interface Readable {
  readonly check: ShapeCheck;
  readonly mend: Mend;
}

export interface Unfitting {
  readonly value: unknown;
  readonly problem: string;
  readonly root: "params" | "result";
  /** Where it is below the root. Default: it is the root. */
  readonly path?: string;
  readonly method: string | undefined;
  readonly reading: Reading | undefined;
}

/** Mends a value that did not fit its shape. @throws `refuse` if it still does not fit, or deviations are refused */
export function readMended(type: Readable, unfitting: Unfitting, refuse: (problem: string) => McpError): JsonObject {
  const { value, problem, root, path = "", method, reading } = unfitting;
  if (reading === undefined) throw refuse(`${path}${problem}`);
  const findings = new Findings(root, method, root === "result" && !reading.strict);
  const mended = type.mend(value, path, findings);
  const remaining = type.check(mended);
  if (remaining !== undefined) throw refuse(`${path}${remaining}`);
  const { deviations } = findings;
  if (reading.strict && deviations[0] !== undefined) throw refuse(deviations[0].message.slice(root.length));
  for (const deviation of deviations) reading.deviated(deviation);
  return mended as JsonObject; // it fits
}
