/**
 * The option `discovery`: a client is shown the tools of a search and the pinned ones, if the list of what it may see is too long.
 *
 * It is around the middleware of its server, so what rules and middleware leave out of the list is neither counted nor found. A server that has
 * mounted this one lists its tools itself. Loaded with the first list or call.
 */
import { estimateToolTokens } from "../../base/text/token-estimate.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ToolSearch } from "../../search/tool-search.ts";
import type { SearchedTool } from "../../search/tool-index.ts";
import type { Handler, Middleware } from "../../session/handler.ts";
import { viewOf } from "../../session/context-view.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { WHOLE_LIST_KEY } from "../../protocol/tenon-keys.ts";
import { ordinalIn, pageOf } from "../features/listed-page.ts";
import type { DiscoverySettings } from "./options.ts";

/** Pages of one list that are read. The server makes far fewer; middleware may make any. */
const MAX_PAGES = 1_000;
/** Lists whose index is kept: callers with other rights have other lists. */
const MAX_LISTS = 16;

export interface DiscoveringServer {
  readonly pageSize: number;
  readonly list: Handler<RequestContext>;
  /** Whether a tool stays in the list that is not pinned by name. */
  readonly isKept: (name: string) => boolean;
  readonly hasTool: (name: string) => boolean;
  readonly onError: (error: TypeError) => void;
}

interface WholeList {
  readonly first: JsonObject;
  readonly tools: readonly SearchedTool[];
}

export class Discovery {
  readonly #settings: DiscoverySettings;
  readonly #server: DiscoveringServer;
  readonly #search: ToolSearch<SearchedTool>;
  /** The lists that were searched, the least recently used first: the same items are one list. */
  #lists: readonly (readonly SearchedTool[])[] = [];
  readonly #tokens = new WeakMap<JsonObject, number>();
  /** Pinned names that no tool had, and that were reported. */
  readonly #unknown = new Set<string>();

  constructor(settings: DiscoverySettings, server: DiscoveringServer) {
    this.#settings = settings;
    this.#server = server;
    this.#search = new ToolSearch(settings);
  }

  /** Around the middleware: shortens the list, and makes a call of `call_tool` a call of the tool that it names. */
  readonly outer: Middleware<RequestContext> = (next) => {
    const call = this.#search.unwrap(next);
    return (context) => (context.method === "tools/list" ? this.#list(context, next) : call(context));
  };

  /** Inside the middleware: runs `search_tools`, and refuses a call of `call_tool` that names no tool. */
  readonly inner: Middleware<RequestContext> = (next) => (context) =>
    context.method === "tools/call" && this.#search.isOwn(context.params["name"]) ? this.#run(context) : next(context);

  async #run(context: RequestContext): Promise<JsonObject> {
    const asking = viewOf(context, { method: "tools/list", params: {} });
    const { tools } = await wholeList(asking, this.#server.list);
    return this.#search.run(context.params, { key: this.#keyOf(tools), tools }, () => true);
  }

  /** Whether a call came as one of `call_tool`: its headers repeat no argument of the tool. */
  isUnwrapped(context: RequestContext): boolean {
    return this.#search.isUnwrapped(context);
  }

  async #list(context: RequestContext, next: Handler<RequestContext>): Promise<JsonObject> {
    const { params, meta } = context;
    if (meta[WHOLE_LIST_KEY] === true) return next(context); // every tool can be called by its name, so this says nothing that is hidden
    const cursor = params["cursor"];
    const { first, tools } = await wholeList(cursor === undefined ? context : viewOf(context, { params: withoutCursor(params) }), next);
    const tokens = tools.reduce((sum, { item }) => sum + this.#tokensOf(item), 0);
    this.#reportUnknown(tools);
    if (tokens <= this.#settings.above) return cursor === undefined ? first : next(context);
    return this.#shortPage(first, tools, cursor);
  }

  #reportUnknown(tools: readonly SearchedTool[]): void {
    for (const pinned of this.#settings.pinned) {
      if (this.#unknown.has(pinned) || this.#server.hasTool(pinned) || tools.some(({ name }) => name === pinned)) continue;
      this.#unknown.add(pinned);
      this.#server.onError(new TypeError(`Option "discovery.pinned" names "${pinned}", and the server has no tool of that name`));
    }
  }

  #tokensOf(item: JsonObject): number {
    const known = this.#tokens.get(item);
    if (known !== undefined) return known;
    const tokens = estimateToolTokens(item);
    this.#tokens.set(item, tokens);
    return tokens;
  }

  #shortPage(first: JsonObject, tools: readonly SearchedTool[], cursor: unknown): JsonObject {
    const { tools: _tools, nextCursor: _cursor, ...rest } = first;
    const short = this.#search.listed(tools, this.#server.isKept);
    const shown = short.map(({ name, item }, at) => ({ entry: { name, ordinal: at + 1, definition: { listed: item } } }));
    const after = ordinalIn(cursor, shown.length);
    const page = pageOf(shown, {
      after,
      pageSize: this.#server.pageSize,
      member: "tools",
      describe: ({ definition }) => definition.listed,
    });
    // oxlint-disable-next-line typescript/no-misused-spread -- the members of the result are all that is wanted
    return { ...rest, ...page };
  }

  #keyOf(tools: readonly SearchedTool[]): object {
    const known = this.#lists.find((list) => list.length === tools.length && list.every(({ item }, at) => item === tools[at]!.item));
    const key = known ?? tools;
    this.#lists = [...this.#lists.filter((list) => list !== key), key].slice(-MAX_LISTS);
    return key;
  }
}

function withoutCursor(params: JsonObject): JsonObject {
  const { cursor: _, ...others } = params;
  return others;
}

async function wholeList(context: RequestContext, list: Handler<RequestContext>): Promise<WholeList> {
  const first = await list(context);
  const items = [...toolsIn(first)];
  const visited = new Set<unknown>();
  for (let page = first; isMore(page, visited);) {
    page = await list(viewOf(context, { params: { ...context.params, cursor: page["nextCursor"] } }));
    items.push(...toolsIn(page));
  }
  return { first, tools: items.map((item) => ({ name: String(item["name"]), item })) };
}

/** Whether there is a page after that one, which was not read yet. */
function isMore({ nextCursor }: JsonObject, seen: Set<unknown>): boolean {
  if (nextCursor === undefined || seen.has(nextCursor) || seen.size >= MAX_PAGES) return false;
  seen.add(nextCursor);
  return true;
}

function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? (tools as readonly JsonObject[]) : []; // the codec checks what leaves
}
