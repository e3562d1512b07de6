/** The servers of a group by name, and the names that servers may have. */
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import type { GroupServer } from "./group-server.ts";
import { prefixOf, SEPARATOR } from "../catalog/naming.ts";

export class GroupServers {
  /** In the order they joined. */
  readonly byName: Map<string, GroupServer> = new Map();
  readonly #max: number;
  /** Whether servers are told apart by the prefix of their components. */
  readonly #usesPrefixes: boolean;
  /** Every session a server has had. */
  readonly #bySession = new WeakMap<object, GroupServer>();

  constructor(max: number, usesPrefixes: boolean) {
    this.#max = max;
    this.#usesPrefixes = usesPrefixes;
  }

  /** @throws McpError -32602 where another server has the name, or one that comes to the same; LimitExceededError */
  claim(name: string, server: GroupServer): void {
    if (name === "") throw new McpError(ErrorCode.InvalidParams, "The name of a server must not be empty");
    const other = this.#holderOf(name);
    if (other !== undefined) throw taken(name, other);
    if (this.byName.size >= this.#max) throw new LimitExceededError("limits.maxServers", this.#max);
    this.byName.set(name, server);
  }

  /**
   * Names a server after what it says it is. With a hook of the user's that needs not be unique; without one it must, or
   * any server could put its tools among those of another (b.11-G2).
   * @throws as `claim`
   */
  nameAfter(info: Implementation | undefined, server: GroupServer): string {
    const said = info?.name || "server";
    let name = said;
    if (!this.#usesPrefixes) for (let number = 2; this.byName.has(name); number++) name = `${said}-${number}`;
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

  /** Whose session that is or was. @throws McpError -32602 for nobody's, or one that has left (SG-23) */
  of(session: object | string): GroupServer {
    const server = typeof session === "string" ? this.byName.get(session) : this.#bySession.get(session);
    if (server !== undefined && this.byName.get(server.name) === server) return server;
    throw new McpError(ErrorCode.InvalidParams, "Provided session is not managed or already disconnected.");
  }

  release(server: GroupServer): void {
    if (this.byName.get(server.name) === server) this.byName.delete(server.name);
  }

  /** Whose a name is by its prefix, whether or not that server has such a thing. */
  byPrefix(name: string): GroupServer | undefined {
    const end = this.#usesPrefixes ? name.indexOf(SEPARATOR) : -1;
    if (end < 0) return undefined;
    return [...this.byName.values()].find((server) => prefixOf(server.name) === name.slice(0, end));
  }
}

function taken(name: string, other: string): McpError {
  const which = name === other ? "" : `: ${JSON.stringify(other)} comes to the same in names of tools`;
  return new McpError(
    ErrorCode.InvalidParams,
    `A server called ${JSON.stringify(name)} cannot join, the name is taken${which}. Give one of them another name (option "name")`,
    { servers: [name, other] },
  );
}
