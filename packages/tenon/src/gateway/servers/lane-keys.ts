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
import type { LaneKey } from "./lane.ts";
import { unavailableError } from "./unavailable.ts";

interface SharedServer {
  readonly name: string;
  readonly isProgram: boolean;
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
   * The key of a caller: its owner, and what the client can do. On a stateless server the credentials count, and the settings
   * of extensions: they are text of a client, which the server may repeat in its words and lists. Names are quoted, because an identity provider may put a line break in one.
   * @param credentials what {@link credentialsOf} returns
   * @throws McpError -32603 if the caller gets no process
   */
  keyFor(caller: Caller, isStateless: boolean | undefined, credentials: string): LaneKey {
    const isSame = this.#server.callerAuth === undefined;
    const as = isSame ? "" : ` as ${JSON.stringify(credentials)}`;
    if (isStateless === true) {
      const text = `stateless${as}${settingsIn(caller.profile)}`;
      return { text, owner: text, isForOneCall: false, isForAll: false };
    }
    const isForAll = this.#sharing === "all" && !caller.profile.asks && isSame;
    const name = isForAll ? "all" : this.#ownerOf(caller);
    const owner = `${name ?? `call ${++this.#calls}`}${as}`;
    return { text: `${owner}\n${caller.profile.key}`, owner, isForOneCall: name === undefined, isForAll };
  }

  /** Whose failures to connect a caller of that key shares. A call without an owner shares them with its address. */
  paceOf({ owner, isForOneCall }: LaneKey, { holder, profile }: Caller, credentials: string): string {
    const whose = isForOneCall ? ownerAt(holder) : owner;
    return JSON.stringify([credentials === "" ? whose : credentials, profile.key]);
  }

  /** The caller's session or principal; undefined for one whose call has a connection of its own. */
  #ownerOf({ principal, session, isLocal }: Caller): string | undefined {
    const { name, isProgram } = this.#server;
    const sharing = this.#sharing;
    if (sharing === "call") return undefined;
    const bySession = session && `session ${session.id}`;
    const byPrincipal = principal === undefined ? (isLocal ? "local" : undefined) : `principal ${JSON.stringify(principal)}`;
    const isPerPrincipal = sharing === "principal" || sharing === "all" || (sharing === undefined && isProgram);
    const owner = isPerPrincipal ? (byPrincipal ?? bySession) : (bySession ?? byPrincipal);
    if (owner !== undefined || !isProgram) return owner;
    const why = 'a caller without a session and without a principal gets no process: set the option "share", or "auth" of the endpoint';
    throw unavailableError(name, "limit", why);
  }
}

function settingsIn({ capabilities: { extensions } }: Profile): string {
  return extensions === undefined ? "" : ` with ${JSON.stringify(extensions)}`;
}

/** Whether an entry starts a program for each connection. */
export function isProgram(entry: ServerEntry): boolean {
  if (typeof entry !== "object" || isServable(entry)) return false;
  const target: unknown = "target" in entry ? entry.target : entry;
  return typeof target === "object" && target !== null && "command" in target;
}
