/** The servers of a group by name, and which names servers may have. */
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import type { GroupServer } from "./group-server.ts";
import { prefixOf, SEPARATOR } from "../../base/text/naming.ts";

export class GroupServers {
  /** In the order they joined. */
  readonly byName: Map<string, GroupServer> = new Map();
  readonly #max: number;
  /** Whether names of components have the prefix of their server. */
  readonly #usesPrefixes: boolean;
  /** The server of every session, also of old ones. */
  readonly #bySession = new WeakMap<object, GroupServer>();

  constructor(max: number, usesPrefixes: boolean) {
    this.#max = max;
    this.#usesPrefixes = usesPrefixes;
  }

  /** @throws McpError -32602 if another server has the name or its prefix; LimitExceededError `limits.maxServers` */
  claim(name: string, server: GroupServer): void {
    if (name === "") throw new McpError(ErrorCode.InvalidParams, "The name of a server must not be empty");
    const other = this.#holderOf(name);
    if (other !== undefined) throw nameTakenError(name, other);
    if (this.byName.size >= this.#max) throw new LimitExceededError("limits.maxServers", this.#max);
    this.byName.set(name, server);
  }

  /**
   * Names a server by the name that it declares. With a hook of the user a taken name gets a number. Without one a taken name is
   * refused, because a server could otherwise put its tools among another server's.
   * @throws as `claim`
   */
  nameAfter(info: Implementation | undefined, server: GroupServer): string {
    const declared = info?.name || "server";
    let name = declared;
    if (!this.#usesPrefixes) for (let number = 2; this.byName.has(name); number++) name = `${declared}-${number}`;
    this.claim(name, server);
    return name;
  }

  #holderOf(name: string): string | undefined {
    if (this.byName.has(name)) return name;
    if (!this.#usesPrefixes) return undefined;
    const prefix = prefixOf(name);
    return [...this.byName.keys()].find((other) => prefixOf(other) === prefix);
  }

  joined(session: object, server: GroupServer): void {
    this.#bySession.set(session, server);
  }

  /** The server by its name, or by a session that it has or had. @throws McpError -32602 if there is none, or if it has left */
  of(session: object | string): GroupServer {
    const server = typeof session === "string" ? this.byName.get(session) : this.#bySession.get(session);
    if (server !== undefined && this.byName.get(server.name) === server) return server;
    throw new McpError(ErrorCode.InvalidParams, "Provided session is not managed or already disconnected.");
  }

  release(server: GroupServer): void {
    if (this.byName.get(server.name) === server) this.byName.delete(server.name);
  }

  /** The server with the prefix of a name, whether or not it has such a component. */
  byPrefix(name: string): GroupServer | undefined {
    const end = this.#usesPrefixes ? name.indexOf(SEPARATOR) : -1;
    if (end < 0) return undefined;
    return [...this.byName.values()].find((server) => prefixOf(server.name) === name.slice(0, end));
  }
}

function nameTakenError(name: string, other: string): McpError {
  const which = name === other ? "" : `: ${JSON.stringify(other)} comes to the same in names of tools`;
  return new McpError(
    ErrorCode.InvalidParams,
    `A server called ${JSON.stringify(name)} cannot join, the name is taken${which}. Give one of them another name (option "name")`,
    { servers: [name, other] },
  );
}
