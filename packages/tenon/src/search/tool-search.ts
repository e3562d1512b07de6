/**
 * The options `search` of a gateway and `discovery` of a server: a list of two tools in the place of hundreds. `search_tools` finds tools, and `call_tool` calls one of them.
 *
 * A call of `call_tool` becomes a call of the tool that it names before any middleware runs. So policy, limits, audit and middleware see
 * the same call as if the client had named the tool itself.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Handler, Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import { CALL_TOOL, SEARCH_NAMES, SEARCH_TOOLS, type SearchSettings } from "./search-options.ts";
import type { SearchedTool, ToolIndex } from "./tool-index.ts";

const MAX_QUERIES = 8;
const MAX_QUERY = 500;

const OWN_TOOLS: readonly SearchedTool[] = [
  {
    name: SEARCH_TOOLS,
    item: {
      name: SEARCH_TOOLS,
      description:
        "Finds tools. Give what you want to do, and likely words of the tool's name. Returns the tools that fit best, with the schemas of their arguments. Call them with call_tool.",
      inputSchema: {
        type: "object",
        properties: { queries: { type: "array", items: { type: "string", maxLength: MAX_QUERY }, minItems: 1, maxItems: MAX_QUERIES } },
        required: ["queries"],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  },
  {
    name: CALL_TOOL,
    item: {
      name: CALL_TOOL,
      description: "Calls a tool that search_tools has found.",
      inputSchema: {
        type: "object",
        properties: { name: { type: "string" }, arguments: { type: "object", description: "As the inputSchema of the tool says" } },
        required: ["name"],
      },
    },
  },
];
export interface SearchedList<Tool extends SearchedTool> {
  /** The same object for the same tools: the index of one list is made once. */
  readonly key: object;
  readonly tools: readonly Tool[];
  /** Called with each tool that has the name of a tool of the search, and so cannot be found. */
  readonly onHidden?: (tool: Tool) => void;
}

export class ToolSearch<Tool extends SearchedTool> {
  readonly #settings: SearchSettings;
  readonly #indexes = new WeakMap<object, Promise<ToolIndex<Tool>>>();
  /** Calls that came as a call of `call_tool`. */
  readonly #unwrapped = new WeakSet<RequestContext>();

  constructor(settings: SearchSettings) {
    this.#settings = settings;
  }

  /** Makes a call of `call_tool` a call of the tool that it names. One that names none is left unchanged, and {@link run} refuses it. */
  readonly unwrap: Middleware<RequestContext> =
    (next: Handler<RequestContext>): Handler<RequestContext> =>
    (context) => {
      const { params } = context;
      if (context.method !== "tools/call" || params["name"] !== CALL_TOOL || refusalOf(CALL_TOOL, params["arguments"]))
        return next(context);
      const { name, arguments: inner = {} } = params["arguments"] as JsonObject; // no refusal
      context.params = { ...params, name, arguments: inner };
      this.#unwrapped.add(context);
      return next(context);
    };

  isUnwrapped(context: RequestContext): boolean {
    return this.#unwrapped.has(context);
  }

  /** The entries of the list of tools. @param isKept whether a tool stays that is not pinned */
  listed(tools: readonly Tool[], isKept: (name: string) => boolean = () => false): readonly SearchedTool[] {
    const { pinned } = this.#settings;
    return [...OWN_TOOLS, ...tools.filter(({ name }) => (pinned.has(name) || isKept(name)) && !SEARCH_NAMES.has(name))];
  }

  isOwn(name: unknown): boolean {
    return SEARCH_NAMES.has(name as string); // any other value names none of them
  }

  /** Runs a tool of the search. @param isVisible whether the caller may know of a tool */
  async run(params: JsonObject, list: SearchedList<Tool>, isVisible: (tool: Tool) => boolean): Promise<JsonObject> {
    const refusal = refusalOf(params["name"] as string, params["arguments"]); // checked by the codec
    if (refusal !== undefined) return { content: [{ type: "text", text: refusal }], isError: true };
    const index = await this.#indexOf(list);
    const { queries } = params["arguments"] as { queries: readonly string[] }; // no refusal
    const { results: max, synonyms } = this.#settings;
    const best = await index.search({ queries, max, synonyms }, isVisible);
    const found = { tools: best.map(({ item }) => foundTool(item)) };
    return { content: [{ type: "text", text: JSON.stringify(found) }], structuredContent: found };
  }

  #indexOf(list: SearchedList<Tool>): Promise<ToolIndex<Tool>> {
    let index = this.#indexes.get(list.key);
    if (index === undefined) {
      index = makeIndex(list);
      this.#indexes.set(list.key, index);
    }
    return index;
  }
}

async function makeIndex<Tool extends SearchedTool>({ tools, onHidden }: SearchedList<Tool>): Promise<ToolIndex<Tool>> {
  for (const tool of tools) if (SEARCH_NAMES.has(tool.name)) onHidden?.(tool);
  const { ToolIndex: Index } = await import("./tool-index.ts");
  return Index.of(tools.filter(({ name }) => !SEARCH_NAMES.has(name)));
}

/** What a model needs to choose a tool and to write its arguments. */
function foundTool({ name, title, description, inputSchema, annotations }: JsonObject): JsonObject {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(annotations !== undefined && { annotations }),
  };
}

/** Why the arguments of a tool of the search are refused, for the model; undefined if they are right. */
function refusalOf(name: string, value: unknown): string | undefined {
  const { queries, name: called, arguments: inner } = isJsonObject(value) ? value : {};
  if (name === CALL_TOOL) {
    if (typeof called !== "string") return `${CALL_TOOL}: "name" must be the name of a tool, as ${SEARCH_TOOLS} returns it`;
    if (called === CALL_TOOL) return `${CALL_TOOL} cannot call itself`;
    return inner === undefined || isJsonObject(inner) ? undefined : `${CALL_TOOL}: "arguments" must be an object`;
  }
  const isRight = Array.isArray(queries) && queries.length > 0 && queries.length <= MAX_QUERIES && queries.every(isQuery);
  return isRight ? undefined : `${SEARCH_TOOLS}: "queries" must be 1 to ${MAX_QUERIES} texts of 1 to ${MAX_QUERY} characters`;
}

function isQuery(query: unknown): boolean {
  return typeof query === "string" && query.length > 0 && query.length <= MAX_QUERY;
}
