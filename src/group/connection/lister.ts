/**
 * Asks a server for everything it offers: all pages, bounded, and nothing it has not declared.
 *
 * A list that breaks the protocol ends where it does so, and a tool whose schema is none is left out; both are reported.
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
  /** Told of what is left out, and why. */
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
   * Everything the server has: of a kind whose list it answers with an error, nothing (SG-17).
   * @throws LimitExceededError for too much, `ConnectionClosedError` and the like where the server is not there any more
   */
  async listAll(signal: AbortSignal): Promise<Listing> {
    const lists = await Promise.all(KINDS.map((kind) => this.#listOrNothing(kind, signal)));
    return this.#within(Object.assign({ ...NOTHING }, ...lists) as Listing); // one member for each kind
  }

  /**
   * The lists that a change was told of, and what there is of the others.
   * @throws what the server answers too: then what was known before is better than nothing (SG-29)
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
      // Servers with resources and without templates seldom answer the question for them.
      const isUsual = kind === "resourceTemplate" && error.code === ErrorCode.MethodNotFound;
      if (!isUsual) this.#report(`Could not fetch ${KIND_ROWS[kind].list}: ${error.message}`, error);
      return {};
    }
  }

  async #list(kind: ComponentKind, signal: AbortSignal): Promise<Partial<Listing>> {
    if (this.#session.serverCapabilities[KIND_ROWS[kind].capability] === undefined) return {};
    return kind === "tool" ? { tool: await this.#usable(await this.#fetch(kind, signal)) } : { [kind]: await this.#fetch(kind, signal) };
  }

  /** All pages, or those before the one where the list breaks the protocol. */
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
    if (found.length > max) throw new OverLimit(`limits.${limit}`, max);
    return found;
  }

  /** The tools whose input can be described to a model. */
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
    if (size > max) throw new OverLimit("limits.maxDefinitionSize", max, size);
    return listing;
  }

  #report(message: string, cause: unknown): void {
    this.#options.report(new ProtocolViolationError(message, undefined, { cause }));
  }
}

const NOTHING: Listing = { prompt: [], resource: [], resourceTemplate: [], tool: [] };

/** A limit of the group, as against one that a message ran into. */
class OverLimit extends LimitExceededError {}

/** The server is there and does not answer that question, as against one that is not there. */
function isRefusal(error: unknown): error is McpError {
  const isAbsence =
    error instanceof ConnectionClosedError ||
    error instanceof RequestTimeoutError ||
    error instanceof HttpStatusError ||
    error instanceof OverLimit;
  return McpError.isMcpError(error) && !isAbsence;
}

/** A schema that Tenon does not run, in a dialect or with a pattern of its own, is no wrong schema. */
function isUnsupported(error: unknown): boolean {
  if (error instanceof LimitExceededError) return error.limit.startsWith("pattern");
  return (
    error instanceof InvalidSchemaError && (error.cause !== undefined || /\/\$(?:schema|dynamicRef|recursiveRef)$/.test(error.location))
  );
}
