/** A server in the configuration of a gateway, whose credentials may differ by caller. */
import { isSameJson } from "../../base/json-values.ts";
import { isServable } from "../../dispatch/acceptor.ts";
import { isSessionSource } from "../../session/session-source.ts";
import type { HttpEntry, ServerEntry, StdioEntry, TargetEntry, TargetSource } from "../../upstream/entry.ts";
import { CallerAuth } from "./caller-auth.ts";

const ANSWERED = "the clients of a gateway answer what its servers ask";
const PASSED = "the clients of a gateway get the messages of its servers";
const UNCHECKED = "the clients of a gateway check the results of its servers";

/** An option of a server in a group that a server behind a gateway does not take: it would have no effect. */
export type UnusedOption =
  | "onElicit"
  | "elicitationModes"
  | "elicitationSchemes"
  | "onSample"
  | "samplingCapabilities"
  | "roots"
  | "onLog"
  | "onMessage"
  | "validateOutput"
  | "validator"
  | "reconnect";

/** The reason why each of them would have no effect. */
const UNUSED: Readonly<Record<UnusedOption, string>> = {
  onElicit: ANSWERED,
  elicitationModes: ANSWERED,
  elicitationSchemes: ANSWERED,
  onSample: ANSWERED,
  samplingCapabilities: ANSWERED,
  roots: ANSWERED,
  onLog: PASSED,
  onMessage: PASSED,
  validateOutput: UNCHECKED,
  validator: UNCHECKED,
  reconnect: "a gateway connects again with the next call",
};

/** A server at a URL whose credentials differ by caller, and the server's own options. */
export interface CallerHttpEntry extends Omit<HttpEntry, "auth" | UnusedOption> {
  /** Makes the credentials of each caller. */
  auth: CallerAuth;
}
/** A target whose credentials differ by caller, and the server's own options. */
export interface CallerTargetEntry extends Omit<TargetEntry, "auth" | UnusedOption> {
  /** Makes the credentials of each caller. */
  auth: CallerAuth;
}
/**
 * A server in the configuration of a gateway: an entry of a group, without the options that the gateway's clients take over: callbacks for
 * questions and messages, checks of results, and `reconnect`. Its `middleware` is around the calls that the gateway forwards to it.
 */
export type GatewayEntry =
  | TargetSource
  | Omit<TargetEntry, UnusedOption>
  | Omit<StdioEntry, UnusedOption>
  | Omit<HttpEntry, UnusedOption>
  | CallerHttpEntry
  | CallerTargetEntry;

/** Servers behind a gateway by their names. */
export interface GatewayEntries {
  readonly [name: string]: GatewayEntry;
}

export interface SplitEntry {
  readonly entry: ServerEntry;
  readonly callerAuth: CallerAuth | undefined;
}

/** @throws TypeError if nothing can be connected to, if an option would have no effect, or if a program has credentials by caller */
export function splitAuth(name: string, source: GatewayEntry): SplitEntry {
  if (!isEntry(source))
    throw new TypeError(
      `Server "${name}" must be a URL, a server, { url }, { command: "npx", args: ["tenon", "run", "server.ts"] } or { target }`,
    );
  assertUsed(name, source);
  if (typeof source !== "object" || !("auth" in source) || !(source.auth instanceof CallerAuth))
    return { entry: source as ServerEntry, callerAuth: undefined }; // its `auth` is not one by caller
  const { auth, ...entry } = source;
  const target: unknown = "target" in entry ? entry.target : entry;
  if (typeof target === "object" && target !== null && "command" in target)
    throw new TypeError(`Option "auth" of server "${name}" is for servers at a URL; a program gets its credentials by "env"`);
  return { entry, callerAuth: auth };
}

/** Checks what a program without types may pass. */
function isEntry(source: unknown): boolean {
  if (typeof source === "string") return URL.canParse(source);
  if (typeof source !== "object" || source === null) return typeof source === "function";
  return (
    source instanceof URL || isServable(source) || ["url", "command", "target"].some((name) => name in source) || isSessionSource(source)
  );
}

/** Checks what a program without types may pass. @throws TypeError that names an option without effect, and the reason */
function assertUsed(name: string, source: GatewayEntry): void {
  if (typeof source !== "object" || isServable(source) || isSessionSource(source)) return;
  const [unused] = Object.entries(UNUSED).filter(([option]) => (source as Readonly<Record<string, unknown>>)[option] !== undefined); // any object
  if (unused === undefined) return;
  throw new TypeError(`Option "${unused[0]}" of server "${name}" has no effect behind a gateway: ${unused[1]}`);
}

/** Whether two entries describe the same server in data. Credentials are the same if they are the same object. */
export function isSameEntry(one: GatewayEntry, other: GatewayEntry): boolean {
  if (!isData(one) || !isData(other)) return false;
  const { auth, ...rest } = one;
  const { auth: otherAuth, ...otherRest } = other;
  return auth === otherAuth && isSameJson(rest, otherRest);
}

function isData(entry: GatewayEntry): entry is Extract<GatewayEntry, object> & { auth?: unknown } {
  return typeof entry === "object" && !isServable(entry) && ("command" in entry || ("url" in entry && !("target" in entry)));
}
