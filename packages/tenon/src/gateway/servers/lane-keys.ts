/**
 * Which callers share a connection to a server: those with the same key.
 *
 * Other credentials are always another key. Without a session and without a principal a caller has a connection for its one call, and
 * none to a program, because each would be a process of its own.
 */
import { isServable } from "../../dispatch/acceptor.ts";
import type { ServerEntry } from "../../upstream/entry.ts";
import { credentialsOwnerOf, type Caller } from "../clients/caller.ts";
import { ownerAt } from "../clients/owner-names.ts";
import type { Profile } from "../clients/profile.ts";
import type { CallerAuth } from "../credentials/caller-auth.ts";
import type { Sharing } from "../options.ts";
import { unavailableError } from "./unavailable.ts";

interface SharedServer {
  readonly name: string;
  readonly isProgram: boolean;
  /** Credentials that differ by caller; undefined if all callers have the same. */
  readonly callerAuth: CallerAuth | undefined;
}

export class LaneKeys {
  readonly #server: SharedServer;
  /** Undefined if the option `share` does not name the server. */
  readonly #sharing: Sharing | undefined;
  #calls = 0;

  constructor(server: SharedServer, sharing: Sharing | undefined) {
    this.#server = server;
    this.#sharing = sharing;
  }

  /** Which credentials a caller has: one text for equal ones, empty if all callers have the same. @throws McpError -32603 if the owner is unknown */
  credentialsOf(caller: Caller): string {
    const { name, callerAuth } = this.#server;
    return callerAuth === undefined ? "" : callerAuth.keyOf(credentialsOwnerOf(caller, name));
  }

  /**
   * The key of a caller: its owner, a line break, and what the client can do. On a stateless server the credentials count, and the settings
   * of extensions: they are text of a client, which the server may repeat in its words and lists. Names are quoted, because an identity provider may put a line break in one.
   * @throws McpError -32603 if the caller gets no process
   */
  of(caller: Caller, isStateless: boolean | undefined, of: string = this.credentialsOf(caller)): string {
    const { callerAuth } = this.#server;
    const credentials = callerAuth === undefined ? undefined : of;
    const as = credentials === undefined ? "" : ` as ${JSON.stringify(credentials)}`;
    if (isStateless === true) return `stateless${as}${settingsIn(caller.profile)}`;
    const wide = this.#sharing === "all" && !caller.profile.asks && credentials === undefined ? "all" : undefined;
    return `${wide ?? this.#ownerOf(caller)}${as}\n${caller.profile.key}`;
  }

  /** Whose failures to connect a caller of that key shares. A call without an owner shares them with its address. */
  paceOf(key: string, { holder, profile }: Caller, credentials: string): string {
    const owner = useOf(key).isForOneCall ? ownerAt(holder) : key.split("\n", 1)[0];
    return JSON.stringify([credentials === "" ? owner : credentials, profile.key]);
  }

  #ownerOf({ principal, session, isLocal }: Caller): string {
    const { name, isProgram } = this.#server;
    const sharing = this.#sharing;
    if (sharing === "call") return `call ${++this.#calls}`;
    const bySession = session && `session ${session.id}`;
    const byPrincipal = principal === undefined ? (isLocal ? "local" : undefined) : `principal ${JSON.stringify(principal)}`;
    const isPerPrincipal = sharing === "principal" || sharing === "all" || (sharing === undefined && isProgram);
    const owner = isPerPrincipal ? (byPrincipal ?? bySession) : (bySession ?? byPrincipal);
    if (owner !== undefined) return owner;
    if (!isProgram) return `call ${++this.#calls}`;
    const why = 'a caller without a session and without a principal gets no process: set the option "share", or "auth" of the endpoint';
    throw unavailableError(name, "limit", why);
  }
}

function settingsIn({ capabilities: { extensions } }: Profile): string {
  return extensions === undefined ? "" : ` with ${JSON.stringify(extensions)}`;
}

/** Whose calls the lane of a key takes. */
export function useOf(key: string): { readonly isForOneCall: boolean; readonly isForAll: boolean } {
  return { isForOneCall: key.startsWith("call "), isForAll: key.startsWith("all\n") };
}

/** Whether two keys belong to one owner, whose clients can do different things. */
export function isSameOwner(one: string, other: string): boolean {
  return other.startsWith(`${one.split("\n", 1)[0]!}\n`);
}

/** Whether an entry starts a program for each connection. */
export function isProgram(entry: ServerEntry): boolean {
  if (typeof entry !== "object" || isServable(entry)) return false;
  const target: unknown = "target" in entry ? entry.target : entry;
  return typeof target === "object" && target !== null && "command" in target;
}
