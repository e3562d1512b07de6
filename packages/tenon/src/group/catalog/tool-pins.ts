/**
 * Remembers the approved definitions of tools. A tool whose definition has changed is held back until the user approves it again.
 *
 * `upstream/tool-pins.ts` says what a definition is.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Tool } from "../../protocol/tools.ts";
import { canonicalJson } from "../../base/json-values.ts";
import { definitionOf, digestOf, earlierDigestOf, MAX_PINS } from "../../upstream/tool-pins.ts";
import type { Catalog } from "./catalog.ts";
import { toolInside } from "./outside-uris.ts";
import type { HeldReason } from "./components.ts";

/** Digests of definitions, by the names of tools in a group. */
export type ToolPins = Iterable<readonly [name: string, digest: string]>;

/** The decision on the tools that a server lists. */
export interface Verdict {
  /** Tools whose definition differs from the approved one, or for which there is no room, by name. */
  readonly held: ReadonlyMap<string, HeldReason>;
  /** Digests of new tools. */
  readonly fresh: ReadonlyMap<string, string>;
}

export const NOTHING_HELD: Verdict = { held: new Map(), fresh: new Map() };

export class Pins {
  readonly #known: Map<string, string>;

  constructor(known: ToolPins) {
    this.#known = new Map(known);
  }

  get known(): ReadonlyMap<string, string> {
    return new Map(this.#known);
  }

  async judge(tools: ReadonlyMap<string, Tool>): Promise<Verdict> {
    const held = new Map<string, HeldReason>();
    const fresh = new Map<string, string>();
    const all = await Promise.all([...tools].map(async ([name, tool]) => ({ name, tool, digest: await digestOfTool(tool) })));
    for (const { name, tool, digest } of all) {
      const known = this.#known.get(name);
      // A tool that cannot be remembered is held back, because a change would go unnoticed.
      if (known === undefined && this.#known.size + fresh.size < MAX_PINS) fresh.set(name, digest);
      else if (known !== digest) held.set(name, known === (await earlierDigestOf(toDefinition(tool))) ? "not covered" : "changed");
    }
    return { held, fresh };
  }

  /** Remembers these definitions as approved. */
  pin(digests: ToolPins): void {
    for (const [name, digest] of digests) this.#known.set(name, digest);
  }
}

function toDefinition(tool: Tool): JsonObject {
  return definitionOf({ ...tool });
}

function digestOfTool(tool: Tool): Promise<string> {
  return digestOf(toDefinition(tool));
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

/**
 * Approves a tool that is held back.
 * @param tool its definition, as the group shows it
 * @throws McpError -32602 if no such tool is held back, or if its definition is not `tool` any more
 */
export async function approve<Owner extends ToolOwner>({ catalog, pins }: ApprovalParts<Owner>, name: string, tool: Tool): Promise<void> {
  const shown = catalog.held().get(name);
  const found = catalog.find("tool", name);
  if (found === undefined || shown === undefined || canonicalJson(toDefinition(shown)) !== canonicalJson(toDefinition(tool)))
    throw notHeldError(name);
  const digest = await digestOfTool(toolInside(found.component));
  if (catalog.find("tool", name)?.component !== found.component) throw notHeldError(name);
  pins?.pin([[name, digest]]);
  found.owner.release(name);
}

function notHeldError(name: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `No such tool is held back: ${name}`);
}
