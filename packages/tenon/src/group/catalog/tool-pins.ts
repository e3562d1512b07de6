/**
 * Remembers the approved definitions of tools. A tool whose definition has changed is held back until the user approves it
 * again, because a server may turn malicious after its approval.
 *
 * A definition is what a model reads: name, title, description, both schemas, annotations.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import type { Catalog } from "./catalog.ts";
import { toBase64Url } from "../../base/bytes.ts";
import { canonicalJson } from "../../base/json-values.ts";
import { sha256 } from "../../base/hash.ts";

/** Digests of definitions, by the names of tools in a group. */
export type ToolPins = Iterable<readonly [name: string, digest: string]>;

/** The decision on the tools that a server lists. */
export interface Verdict {
  /** Names of tools whose definition differs from the approved one, or for which there is no room. */
  readonly held: ReadonlySet<string>;
  /** Digests of new tools. */
  readonly fresh: ReadonlyMap<string, string>;
}

/** Most tools to remember, so that a server that keeps inventing names does not fill the memory. */
const MAX_PINS = 100_000;

export const NOTHING_HELD: Verdict = { held: new Set(), fresh: new Map() };

export class Pins {
  readonly #known: Map<string, string>;

  constructor(known: ToolPins) {
    this.#known = new Map(known);
  }

  get known(): ReadonlyMap<string, string> {
    return new Map(this.#known);
  }

  async judge(tools: ReadonlyMap<string, Tool>): Promise<Verdict> {
    const held = new Set<string>();
    const fresh = new Map<string, string>();
    const digests = await Promise.all([...tools].map(async ([name, tool]) => [name, await digestOf(tool)] as const));
    for (const [name, digest] of digests) {
      const known = this.#known.get(name);
      // A tool that cannot be remembered is held back, because a change would go unnoticed.
      if (known === undefined && this.#known.size + fresh.size < MAX_PINS) fresh.set(name, digest);
      else if (known !== digest) held.add(name);
    }
    return { held, fresh };
  }

  /** Remembers these definitions as approved. */
  pin(digests: ToolPins): void {
    for (const [name, digest] of digests) this.#known.set(name, digest);
  }
}

/** SHA-256 of a definition, independent of the order of members. */
export async function digestOf({ name, title, description, inputSchema, outputSchema, annotations }: Tool): Promise<string> {
  const text = canonicalJson({ name, title, description, inputSchema, outputSchema, annotations });
  return toBase64Url(await sha256(text));
}

// ---- approving ----

/** The server that has the tool. */
interface ToolOwner {
  readonly name: string;
  /** Releases the tool of that name. */
  release(tool: string): void;
}

/** The catalog with the tools, and the approved definitions. */
interface ApprovalParts<Owner extends ToolOwner> {
  readonly catalog: Catalog<Owner>;
  readonly pins: Pins | undefined;
}

/** Approves a tool that is held back. @throws McpError -32602 if no such tool is held back, or if its definition is not `tool` any more */
export async function approve<Owner extends ToolOwner>({ catalog, pins }: ApprovalParts<Owner>, name: string, tool: Tool): Promise<void> {
  const digest = await digestOf(tool);
  const found = catalog.find("tool", name);
  const isSame = found !== undefined && found.held && (await digestOf(found.component)) === digest;
  if (!isSame || catalog.find("tool", name)?.component !== found.component)
    throw new McpError(ErrorCode.InvalidParams, `No such tool is held back: ${name}`);
  pins?.pin([[name, digest]]);
  found.owner.release(name);
}
