/**
 * The list of tools of an official `McpServer`: converted once, and again after a tool has changed.
 *
 * The official handler converts each schema for each request. What it made is kept as text for as long as each tool has the same parts, and
 * for as long as the owner has put no handler in its place.
 */
import type { Implementation, JsonObject, RequestContext } from "tenon";
import { ListPage } from "tenon/internal/embedding";
import type { OfficialMcpParts, OfficialParts, OfficialTool } from "./official-parts.ts";

const METHOD = "tools/list";

/** What the definition of a tool is made from. */
const partsOf = (tool: OfficialTool): readonly unknown[] => [
  tool.title,
  tool.description,
  tool.inputSchema,
  tool.outputSchema,
  tool.annotations,
  tool.execution,
  tool._meta,
];

const pages = new WeakMap<object, ToolPage>();

/** The list of the tools that a server has; undefined for one without an `McpServer` above. */
export function toolPageOf(official: OfficialParts): ToolPage | undefined {
  return pages.get(official);
}

export function keepToolPage(owner: OfficialMcpParts, official: OfficialParts): void {
  pages.set(official, new ToolPage(owner, official));
}

class ToolPage {
  readonly #owner: OfficialMcpParts;
  readonly #official: OfficialParts;
  /** The official handler, which may be replaced. */
  #handler: unknown;
  #page: ListPage | undefined;
  /** Of each listed tool its name and parts, as the page has them. */
  #listed: unknown[] = [];

  constructor(owner: OfficialMcpParts, official: OfficialParts) {
    this.#owner = owner;
    this.#official = official;
  }

  /** Called when the official server has put its handlers in place. */
  installed(): void {
    this.#handler ??= this.#official._requestHandlers.get(METHOD);
  }

  /** Whether a tool runs as a task: `registerToolTask` says so. */
  taskSupportOf(name: string): "optional" | "required" | undefined {
    const { execution, handler, enabled } = this.#owner._registeredTools[name] ?? {};
    const support = (execution as { taskSupport?: string } | undefined)?.taskSupport; // the official type of it
    const isTask = enabled === true && typeof handler === "object" && handler !== null && "createTask" in handler;
    return isTask && (support === "optional" || support === "required") ? support : undefined;
  }

  /** The kept list; undefined if there is none, or if something has changed. */
  get current(): ListPage | undefined {
    if (this.#page === undefined || !this.#isOfficial()) return undefined;
    const now = this.#signature();
    return now.length === this.#listed.length && now.every((part, index) => part === this.#listed[index]) ? this.#page : undefined;
  }

  /** Keeps what the official handler has made, if Tenon finds nothing wrong in it. Returns what to respond with. */
  keep(result: JsonObject, { codec }: RequestContext, info: Implementation): JsonObject {
    if (!this.#isOfficial()) return result;
    const page = new ListPage(JSON.parse(JSON.stringify(result)) as JsonObject); // a result is JSON
    try {
      page.encoded(codec, METHOD, info);
    } catch {
      return result; // 1.x responds with it unchecked
    }
    this.#listed = this.#signature();
    this.#page = page;
    return page;
  }

  #isOfficial(): boolean {
    return this.#handler !== undefined && this.#official._requestHandlers.get(METHOD) === this.#handler;
  }

  #signature(): unknown[] {
    return Object.entries(this.#owner._registeredTools)
      .filter(([, tool]) => tool.enabled)
      .flatMap(([name, tool]) => [name, ...partsOf(tool)]);
  }
}
