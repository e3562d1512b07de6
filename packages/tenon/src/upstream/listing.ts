/**
 * What a server lists: tools, prompts, resources and resource templates, and how each kind is read.
 *
 * Each list is read for itself, all pages, within limits. A list that breaks the protocol is cut there, and one that cannot be read stays as
 * it was: the others are served.
 */
import { utf8Length } from "../base/bytes.ts";
import type { NumberTable } from "../base/number-options.ts";
import { filterInTurns } from "../base/turns.ts";
import { pages } from "../client/call/pages.ts";
import { HttpStatusError } from "../client/http/errors.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  ProtocolViolationError,
  RequestTimeoutError,
} from "../jsonrpc/mcp-error.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { FeatureKind } from "../session/feature-filter.ts";
import type { Reading } from "../wire/deviations.ts";

/** What a server offers: a tool, a prompt, a resource or a resource template. */
export type Kind = FeatureKind;
/** The list whose change a server announces. It is also the capability of servers with such a list. */
export type ListName = "tools" | "prompts" | "resources";

/** How each kind is listed: by which method, in which member, and under what each entry is known. */
export const KIND_ROWS = {
  prompt: { method: "prompts/list", member: "prompts", id: "name", list: "prompts" },
  // Names of resources are not unique.
  resource: { method: "resources/list", member: "resources", id: "uri", list: "resources" },
  template: { method: "resources/templates/list", member: "resourceTemplates", id: "uriTemplate", list: "resources" },
  tool: { method: "tools/list", member: "tools", id: "name", list: "tools" },
} as const;
/** In the order in which collisions of names are checked. */
export const KINDS = Object.keys(KIND_ROWS) as readonly Kind[]; // its keys
export const LISTS: readonly ListName[] = ["tools", "prompts", "resources"];

/** The entries of one server by kind, as it wrote them: unknown members are kept. */
export type Lists = Readonly<Record<Kind, readonly JsonObject[]>>;

/** The entries of one server by kind, as JSON, in the same order. */
export type EntryTexts = Readonly<Record<Kind, readonly string[]>>;

export const EMPTY_LISTS: Lists = Object.freeze({ tool: [], prompt: [], resource: [], template: [] });

/** Limits of what one server lists. */
export interface ListLimits {
  /** Most tools of one server. Default 1 000. */
  maxTools: number;
  /** Most prompts, most resources and most resource templates of one server. Default 10 000 of each. */
  maxListItems: number;
  /** Most characters of JSON of everything that one server lists, including descriptions and schemas. Default 4 Mi. */
  maxDefinitionSize: number;
}

export const LIST_LIMITS: NumberTable<ListLimits> = { maxTools: [1_000, 1], maxListItems: [10_000, 1], maxDefinitionSize: [4_194_304, 1] };

export interface ListedServer {
  readonly capabilities: ServerCapabilities;
  readonly limits: ListLimits;
  /** Most bytes of one entry. A larger one is left out and reported to `failed`. Default: no limit of its own. */
  readonly maxEntry?: number;
  readonly reading: Reading;
  /** Requests one page, without the entries that break the protocol. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Called for each list that cannot be read, or not as a whole. `read` are its entries before the failure. */
  failed(kind: Kind, error: unknown, read: number): void;
}

export interface ReadLists {
  readonly lists: Lists;
  /** Its entries as JSON, which were written to measure them; absent if the lists are as before. */
  readonly texts?: EntryTexts;
  /** Those that could not be read, and are as before. */
  readonly failed: ReadonlySet<ListName>;
  /** Why the server cannot be used if its lists must be whole: it is gone, or has too much. */
  readonly absence: unknown;
}

/** Reads the lists of a server: those that have changed, or all. */
export async function readLists(server: ListedServer, known: Lists, changed?: ReadonlySet<ListName>): Promise<ReadLists> {
  const kinds = KINDS.filter((kind) => changed === undefined || changed.has(KIND_ROWS[kind].list));
  const read = await Promise.all(kinds.map((kind) => readKind(server, kind)));
  const lists = { ...known, ...Object.fromEntries(read.map(({ kind, entries }) => [kind, entries ?? known[kind]])) };
  const failed = new Set<ListName>(read.flatMap(({ kind, entries }) => (entries === undefined ? [KIND_ROWS[kind].list] : [])));
  const measured = await measure(server, lists);
  const max = server.limits.maxDefinitionSize;
  const tooLarge = measured.size > max ? new ListLimitError("limits.maxDefinitionSize", max, measured.size) : undefined;
  const { absence } = read.find((each) => each.absence !== undefined) ?? {};
  if (tooLarge === undefined) return { lists: measured.lists, texts: measured.texts, failed, absence };
  return { lists: known, failed: new Set(kinds.map((kind) => KIND_ROWS[kind].list)), absence: tooLarge };
}

/** One list. Without entries it cannot be read. */
interface ReadKind {
  readonly kind: Kind;
  readonly entries: readonly JsonObject[] | undefined;
  readonly absence?: unknown;
}

async function readKind(server: ListedServer, kind: Kind): Promise<ReadKind> {
  const { method, member, list } = KIND_ROWS[kind];
  if (server.capabilities[list] === undefined) return { kind, entries: [] };
  const limit = kind === "tool" ? "maxTools" : "maxListItems";
  const max = server.limits[limit];
  const found: JsonObject[] = [];
  try {
    const fetchPage = (cursor: string | undefined): Promise<JsonObject> => server.request(method, cursor === undefined ? {} : { cursor });
    for await (const page of pages(fetchPage, undefined, { method, reading: server.reading })) {
      found.push(...(page[member] as readonly JsonObject[])); // checked by the codec
      if (found.length > max) throw new ListLimitError(`limits.${limit}`, max);
    }
    return { kind, entries: found };
  } catch (error) {
    if (isAbsence(error)) return { kind, entries: undefined, absence: error };
    const isUnknown = McpError.isMcpError(error) && error.code === ErrorCode.MethodNotFound;
    // Servers without templates often lack the method.
    if (kind !== "template" || !isUnknown) server.failed(kind, error, found.length);
    return { kind, entries: isUnknown || found.length > 0 ? found : undefined };
  }
}

/** Most bytes of a character of a text, as UTF-16 counts them, in UTF-8. */
const MOST_BYTES = 3;

/** The lists without entries that are too large, and the others as JSON with their characters. */
async function measure(
  server: ListedServer,
  lists: Lists,
): Promise<{ readonly lists: Lists; readonly texts: EntryTexts; readonly size: number }> {
  const { maxEntry = Infinity } = server;
  let size = 0;
  const fitting: Partial<Record<Kind, readonly JsonObject[]>> = {};
  const texts: Record<Kind, string[]> = { prompt: [], resource: [], template: [], tool: [] };
  for (const kind of KINDS) {
    fitting[kind] = await filterInTurns(lists[kind], (entry) => {
      const text = JSON.stringify(entry);
      const bytes = text.length * MOST_BYTES <= maxEntry ? 0 : utf8Length(text);
      if (bytes > maxEntry) {
        server.failed(kind, leftOutError(kind, entry, bytes, maxEntry), lists[kind].length);
        return false;
      }
      size += text.length;
      texts[kind].push(text);
      return true;
    });
  }
  const isWhole = KINDS.every((kind) => fitting[kind]!.length === lists[kind].length);
  return { lists: isWhole ? lists : { ...lists, ...fitting }, texts, size };
}

function leftOutError(kind: Kind, entry: JsonObject, actual: number, max: number): McpError {
  const name = JSON.stringify(String(entry[KIND_ROWS[kind].id]).slice(0, MAX_NAME));
  const message = `The ${kind} ${name} is left out: it has ${actual} bytes, and a page has room for ${max}`;
  return new McpError(ErrorCode.InvalidRequest, message, { limit: "page", max, actual });
}

/** Most characters of a name in a message. */
const MAX_NAME = 200;

/** A limit of lists, unlike a limit of a single message. */
class ListLimitError extends LimitExceededError {}

/** Whether a server is gone or has too much, unlike one that responds with an error. */
function isAbsence(error: unknown): boolean {
  return (
    !McpError.isMcpError(error) ||
    error instanceof ConnectionClosedError ||
    error instanceof RequestTimeoutError ||
    error instanceof HttpStatusError ||
    error instanceof ListLimitError
  );
}

/** The lists whose changes a server does not promise to announce. */
export function unpromised(capabilities: ServerCapabilities): readonly ListName[] {
  return LISTS.filter((list) => capabilities[list] !== undefined && capabilities[list].listChanged !== true);
}

/** What went wrong with a list, for people. */
export function listProblem(kind: Kind, error: unknown, read: number): ProtocolViolationError {
  const { member } = KIND_ROWS[kind];
  const why = error instanceof Error ? error.message : String(error);
  const message = read > 0 ? `The list of ${member} is cut after ${read}: ${why}` : `Could not fetch ${member}: ${why}`;
  return new ProtocolViolationError(message, undefined, { cause: error });
}
