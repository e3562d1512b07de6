/**
 * Lists everything that a server offers: all pages, within limits, and only the kinds that the server declares.
 *
 * A list is cut where it breaks the protocol, and a tool with an unusable schema is left out. Both are reported.
 */
import { InvalidSchemaError } from "../../schema/invalid-schema-error.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  ProtocolViolationError,
  RequestTimeoutError,
} from "../../jsonrpc/mcp-error.ts";
import type { Tool } from "../../protocol/tools.ts";
import { HttpStatusError } from "../../client/http/errors.ts";
import { KIND_ROWS, KINDS, type ComponentKind, type Components, type Listing } from "../catalog/components.ts";
import type { GroupLimits } from "../limits.ts";
import type { GroupSession } from "../group-session.ts";

export interface ListerOptions {
  readonly limits: GroupLimits;
  readonly validator: JsonSchemaValidator;
  /** Called with the reason for everything that is left out. */
  readonly report: (error: Error) => void;
}

export class Lister {
  readonly #session: GroupSession;
  readonly #options: ListerOptions;

  constructor(session: GroupSession, options: ListerOptions) {
    this.#session = session;
    this.#options = options;
  }

  /**
   * Lists all kinds. If the server responds to a list with an error, that kind is empty.
   * @throws LimitExceededError if the server has too much; `ConnectionClosedError` and the like if the server is gone
   */
  async listAll(signal: AbortSignal): Promise<Listing> {
    const lists = await Promise.all(KINDS.map((kind) => this.#listOrNothing(kind, signal)));
    return this.#within(Object.assign({ ...EMPTY_LISTING }, ...lists) as Listing); // one member for each kind
  }

  /**
   * Lists the changed kinds again, and keeps the others.
   * @throws also the server's errors, so that the caller keeps the old lists
   */
  async listAgain(known: Listing, changed: ReadonlySet<string>, signal: AbortSignal): Promise<Listing> {
    const kinds = KINDS.filter((kind) => changed.has(KIND_ROWS[kind].capability));
    const lists = await Promise.all(kinds.map((kind) => this.#list(kind, signal)));
    return this.#within(Object.assign({ ...known }, ...lists) as Listing); // as above
  }

  async #listOrNothing(kind: ComponentKind, signal: AbortSignal): Promise<Partial<Listing>> {
    try {
      return await this.#list(kind, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // Servers without templates often lack the method.
      const isUsual = kind === "resourceTemplate" && error.code === ErrorCode.MethodNotFound;
      if (!isUsual) this.#report(`Could not fetch ${KIND_ROWS[kind].list}: ${error.message}`, error);
      return {};
    }
  }

  async #list(kind: ComponentKind, signal: AbortSignal): Promise<Partial<Listing>> {
    if (this.#session.serverCapabilities[KIND_ROWS[kind].capability] === undefined) return {};
    return kind === "tool" ? { tool: await this.#usable(await this.#fetch(kind, signal)) } : { [kind]: await this.#fetch(kind, signal) };
  }

  /** Reads all pages, or those before the page that breaks the protocol. */
  async #fetch<Kind extends ComponentKind>(kind: Kind, signal: AbortSignal): Promise<readonly Components[Kind][]> {
    const { each, list } = KIND_ROWS[kind];
    const limit = kind === "tool" ? "maxTools" : "maxListItems";
    const max = this.#options.limits[limit];
    const found: Components[Kind][] = [];
    try {
      for await (const component of each(this.#session, { signal })) {
        found.push(component);
        if (found.length > max) break;
      }
    } catch (error) {
      if (!(error instanceof ProtocolViolationError) || found.length === 0) throw error;
      this.#report(`The list of ${list} is cut after ${found.length}: ${error.message}`, error);
    }
    if (found.length > max) throw new GroupLimitError(`limits.${limit}`, max);
    return found;
  }

  /** The tools whose input schema is usable. */
  async #usable(tools: readonly Tool[]): Promise<readonly Tool[]> {
    const verdicts = await Promise.all(tools.map((tool) => this.#hasSchema(tool)));
    return tools.filter((_tool, index) => verdicts[index]);
  }

  async #hasSchema({ name, inputSchema }: Tool): Promise<boolean> {
    try {
      await this.#options.validator.compile(inputSchema);
      return true;
    } catch (error) {
      if (isUnsupported(error)) return true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(`The tool ${JSON.stringify(name)} is left out: its input schema cannot be used: ${reason}`, error);
      return false;
    }
  }

  #within(listing: Listing): Listing {
    const { maxDefinitionSize: max } = this.#options.limits;
    let size = 0;
    for (const kind of KINDS) for (const component of listing[kind]) size += JSON.stringify(component).length;
    if (size > max) throw new GroupLimitError("limits.maxDefinitionSize", max, size);
    return listing;
  }

  #report(message: string, cause: unknown): void {
    this.#options.report(new ProtocolViolationError(message, undefined, { cause }));
  }
}

const EMPTY_LISTING: Listing = { prompt: [], resource: [], resourceTemplate: [], tool: [] };

/** A limit of the group, unlike a limit of a single message. */
class GroupLimitError extends LimitExceededError {}

/** Whether the server responded with an error, unlike a server that is gone. */
function isRefusal(error: unknown): error is McpError {
  const isAbsence =
    error instanceof ConnectionClosedError ||
    error instanceof RequestTimeoutError ||
    error instanceof HttpStatusError ||
    error instanceof GroupLimitError;
  return McpError.isMcpError(error) && !isAbsence;
}

/** Whether Tenon cannot compile a schema that may be valid, because of its dialect or one of its patterns. */
function isUnsupported(error: unknown): boolean {
  if (error instanceof LimitExceededError) return error.limit.startsWith("pattern");
  return (
    error instanceof InvalidSchemaError && (error.cause !== undefined || /\/\$(?:schema|dynamicRef|recursiveRef)$/.test(error.location))
  );
}
