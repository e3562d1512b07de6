/** A server in the configuration of a gateway, whose credentials may differ by caller. */
import { isSameJson } from "../../base/json-values.ts";
import { isAcceptor } from "../../dispatch/acceptor.ts";
import { isSessionSource } from "../../session/session-source.ts";
import type { HttpEntry, ServerEntry, TargetEntry } from "../../upstream/entry.ts";
import { CallerAuth } from "./caller-auth.ts";

/** A server at a URL whose credentials differ by caller, and the server's own options. */
export interface CallerHttpEntry extends Omit<HttpEntry, "auth"> {
  /** Makes the credentials of each caller. */
  auth: CallerAuth;
}
/** A target whose credentials differ by caller, and the server's own options. */
export interface CallerTargetEntry extends Omit<TargetEntry, "auth"> {
  /** Makes the credentials of each caller. */
  auth: CallerAuth;
}
/** A server in the configuration of a gateway. */
export type GatewayEntry = ServerEntry | CallerHttpEntry | CallerTargetEntry;

/** Servers behind a gateway by their names. */
export interface GatewayEntries {
  readonly [name: string]: GatewayEntry;
}

/** An entry as a group takes it, and its credentials by caller. */
export interface SplitEntry {
  readonly entry: ServerEntry;
  readonly callerAuth: CallerAuth | undefined;
}

/** @throws TypeError if nothing can be connected to, or if a program has credentials by caller */
export function splitAuth(name: string, given: GatewayEntry): SplitEntry {
  if (!isEntry(given))
    throw new TypeError(
      `Server "${name}" must be a URL, a server, { url }, { command: "npx", args: ["tenon", "run", "server.ts"] } or { target }`,
    );
  if (typeof given !== "object" || !("auth" in given) || !(given.auth instanceof CallerAuth))
    return { entry: given as ServerEntry, callerAuth: undefined }; // its `auth` is not one by caller
  const { auth, ...entry } = given;
  const target: unknown = "target" in entry ? entry.target : entry;
  if (typeof target === "object" && target !== null && "command" in target)
    throw new TypeError(`Option "auth" of server "${name}" is for servers at a URL; a program gets its credentials by "env"`);
  return { entry, callerAuth: auth };
}

/** Checks what a program without types may pass. */
function isEntry(given: unknown): boolean {
  if (typeof given === "string") return URL.canParse(given);
  if (typeof given !== "object" || given === null) return typeof given === "function";
  return given instanceof URL || isAcceptor(given) || ["url", "command", "target"].some((name) => name in given) || isSessionSource(given);
}

/** Whether two entries describe the same server in data. Credentials are the same if they are the same object. */
export function isSameEntry(one: GatewayEntry, other: GatewayEntry): boolean {
  if (!isData(one) || !isData(other)) return false;
  const { auth, ...rest } = one;
  const { auth: otherAuth, ...otherRest } = other;
  return auth === otherAuth && isSameJson(rest, otherRest);
}

function isData(entry: GatewayEntry): entry is Extract<GatewayEntry, object> & { auth?: unknown } {
  return typeof entry === "object" && !isAcceptor(entry) && ("command" in entry || ("url" in entry && !("target" in entry)));
}
