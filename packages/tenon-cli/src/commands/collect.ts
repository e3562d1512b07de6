/** Reads everything that a server offers. */
import { type Client, ConnectionClosedError, ErrorCode, McpError } from "tenon/client";
import { cleanLine, WHOLE_LIST_KEY } from "tenon/internal";
import type { ServerCapabilities, Tool } from "tenon";
import type { Terminal } from "../terminal/terminal.ts";
import type { Offer } from "../terminal/listing-text.ts";

export interface Listing extends Offer {
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** The tools that a model reads, if the server lists a search in the place of most of its tools. */
  readonly shown?: readonly Tool[];
}

export interface Unread {
  /** The method that failed: `resources/list`. */
  readonly method: string;
  readonly error: McpError;
}

/** Whether a list has the search of a server with `discovery`, or of a gateway with `search`, in the place of most tools. */
export function isShortList(tools: readonly Pick<Tool, "name">[]): boolean {
  const names = new Set(tools.map(({ name }) => name));
  return names.has("search_tools") && names.has("call_tool");
}

/** Reads everything. Lists only the kinds that the server declares. @throws what the first list fails with */
export async function collect(client: Client, signal: AbortSignal): Promise<Listing> {
  const { listing, unread } = await collectAll(client, signal);
  const [first] = unread;
  if (first !== undefined) throw new Error(`${first.method}: ${first.error.message}`, { cause: first.error });
  return listing;
}

/**
 * Reads each list for itself, so that one that fails does not hide the others. A list that the server declares but does not have is
 * empty, as official servers without a handler for templates mean it. `tools` are all tools, also of a server that lists a search in their place.
 * @throws what ends the connection
 */
export async function collectAll(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly listing: Listing; readonly unread: readonly Unread[] }> {
  const { protocolVersion, serverInfo, serverCapabilities: capabilities, instructions } = client;
  const { tools, resources, prompts } = capabilities;
  const unread: Unread[] = [];
  const read = async <T>(method: string, declared: unknown, items: () => AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    if (declared === undefined) return found;
    try {
      for await (const item of items()) found.push(item);
    } catch (error) {
      signal.throwIfAborted();
      if (!McpError.isMcpError(error) || error instanceof ConnectionClosedError) throw error;
      if (error.code !== ErrorCode.MethodNotFound) unread.push({ method, error });
    }
    return found;
  };
  const shown = await read("tools/list", tools, () => client.tools({ signal }));
  const isShort = isShortList(shown);
  const whole = isShort ? await read("tools/list", tools, () => client.tools({ signal, meta: { [WHOLE_LIST_KEY]: true } })) : shown;
  const listing = {
    protocolVersion,
    serverInfo,
    capabilities,
    instructions,
    tools: whole,
    ...(isShort && { shown }),
    resources: await read("resources/list", resources, () => client.resources({ signal })),
    resourceTemplates: await read("resources/templates/list", resources, () => client.resourceTemplates({ signal })),
    prompts: await read("prompts/list", prompts, () => client.prompts({ signal })),
  };
  return { listing, unread };
}

export function noteUnread(unread: readonly Unread[], terminal: Terminal): void {
  for (const { method, error } of unread) terminal.note(`${terminal.paintNote("red", "tenon:")} ${method}: ${cleanLine(error.message)}`);
}
