/**
 * Names components in a group: `server__tool`, or the name that the user's hook returns.
 *
 * The default suits hosts that accept 64 letters, digits, `_` and `-` (most model APIs). It never maps two names to one: a
 * prefix contains no `__` and does not end in `_`, so the first `__` always ends it, and a name that does not fit gets a
 * hash of the whole name. If two names are equal nevertheless, the catalog refuses the second.
 */
import { prefixed, prefixOf, SEPARATOR } from "../../base/text/naming.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import { KIND_ROWS, type Kind } from "../../upstream/listing.ts";
import { componentKindOf, type Claims, type ComponentKind, type Components, type Listing } from "./components.ts";

/**
 * Names a component in the group. Its arguments are the name of a tool or prompt, the URI of a resource or the template of a
 * resource template; the server's `Implementation` (not verified); the kind; and the server's name in the group.
 */
export type NameHook = (name: string, server: Implementation, kind: ComponentKind, serverName: string) => string;

/** Returns `server__tool` or `server__prompt`. Before a URI only the prefix is made safe, because hosts do not use URIs as names. */
export const defaultNameHook: NameHook = (name, _server, kind, serverName) => {
  const prefix = prefixOf(serverName);
  return kind === "resource" || kind === "resourceTemplate" ? prefix + SEPARATOR + name : prefixed(prefix, name);
};

/** Names everything that a server listed. */
export class Naming {
  readonly #hook: NameHook;
  readonly #server: Implementation;
  readonly #serverName: string;

  constructor(hook: NameHook, server: Implementation, serverName: string) {
    this.#hook = hook;
    this.#server = server;
    this.#serverName = serverName;
  }

  /** @throws McpError -32602 if two components of the server get one name; TypeError if the hook returns no name */
  claims(listing: Listing): Claims {
    return {
      prompt: this.#name("prompt", listing.prompt),
      resource: this.#name("resource", listing.resource),
      template: this.#name("template", listing.template),
      tool: this.#name("tool", listing.tool),
    };
  }

  #name<One extends Kind>(kind: One, components: readonly Components[One][]): ReadonlyMap<string, Components[One]> {
    const { member: list } = KIND_ROWS[kind];
    const idOf = (component: object): string => String(Reflect.get(component, KIND_ROWS[kind].id)); // each kind has its own
    const named = new Map<string, Components[One]>();
    for (const component of components) {
      const id = idOf(component);
      const name = this.#nameOf(id, kind);
      const other = named.get(name);
      if (other === undefined) named.set(name, component);
      // A server that ignores cursors lists the same things twice.
      else if (JSON.stringify(other) !== JSON.stringify(component)) throw this.#duplicate(list, name, [idOf(other), id]);
    }
    return named;
  }

  #nameOf(id: string, kind: Kind): string {
    const name: unknown = this.#hook(id, this.#server, componentKindOf(kind), this.#serverName);
    if (typeof name === "string" && name !== "") return name;
    throw new TypeError(
      `Option "nameHook" must return a name for the ${componentKindOf(kind)} ${JSON.stringify(id)} of server "${this.#serverName}"`,
    );
  }

  #duplicate(list: string, name: string, ids: readonly string[]): McpError {
    const both = ids.map((id) => JSON.stringify(id)).join(" and ");
    return new McpError(
      ErrorCode.InvalidParams,
      `Two ${list} of server "${this.#serverName}" are called ${JSON.stringify(name)} in the group: ${both}`,
      { list, names: [name], servers: [this.#serverName] },
    );
  }
}
