/**
 * The option `audit`: one record for each request of a client, when it has ended. Each round of a call is a request.
 *
 * A record says who asked what of which server, how long it took and how it ended. It holds no arguments and no results, unless the
 * operator wants them, and no token in any case.
 */
import { wallNow, type Clock } from "../base/clock.ts";
import { isPromise } from "../base/maybe-promise.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { deniedServerIn } from "./catalog/denial.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Handler, Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";

/**
 * How a request ended: with a result, with the failure of a tool, with a question to the client, refused by the policy, cancelled, or with an
 * error.
 */
export type AuditOutcome = "ok" | "tool_error" | "input_required" | "denied" | "cancelled" | "error";

/** One request, as the option `audit` of {@link createGateway} gets it. It is JSON. */
export interface AuditRecord {
  /** When the request ended, as RFC 3339 in UTC. */
  readonly time: string;
  /** The authenticated client; absent without authentication. */
  readonly principal?: string;
  /** The address of the client; absent if the transport has none. */
  readonly address?: string;
  /** The name of the client's program. Security: the client's own word. */
  readonly client?: string;
  /** The request's method. */
  readonly method: string;
  /** The tool, the prompt or the URI, as the client named it. */
  readonly name?: string;
  /** The server it went to; absent if the gateway responded itself. */
  readonly server?: string;
  /** Milliseconds from the request to its end. */
  readonly ms: number;
  /** How it ended. */
  readonly outcome: AuditOutcome;
  /** The code of the error. */
  readonly code?: number;
  /** The trace that the request belongs to, as the client named it. */
  readonly trace?: string;
  /** The params without `_meta`; only with `contents`. */
  readonly params?: JsonObject;
  /** The result; only with `contents`. */
  readonly result?: JsonObject;
}

/** The option `audit` of {@link createGateway}. */
export interface AuditOptions {
  /** Gets each record. It must not block; what it throws goes to `onError`, and the request is not affected. */
  write: (record: AuditRecord) => void;
  /** Adds the params and the result to each record. Security: they may hold secrets and personal data. Default false. */
  contents?: boolean;
}

/** Characters of a name that a client writes. */
const MAX_NAME = 512;
/** Requests that say nothing about what a client did. */
const UNRECORDED: ReadonlySet<string> = new Set(["ping"]);
const TRACE = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/** What the gateway finds out while a request runs. */
interface Facts {
  server?: string;
  denied?: boolean;
}

export class Audit {
  readonly #options: AuditOptions;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  readonly #facts = new WeakMap<RequestContext, Facts>();

  constructor(options: AuditOptions, clock: Clock, report: (error: unknown) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#report = report;
  }

  /** Notes the server of a request. */
  routed(context: RequestContext, server: string): void {
    this.#factsOf(context).server = server;
  }

  /** Notes that the policy refused a request. */
  denied(context: RequestContext): void {
    this.#factsOf(context).denied = true;
  }

  #factsOf(context: RequestContext): Facts {
    let facts = this.#facts.get(context);
    if (facts === undefined) this.#facts.set(context, (facts = {}));
    return facts;
  }

  readonly layer: Middleware<RequestContext> =
    (next: Handler<RequestContext>): Handler<RequestContext> =>
    (context) => {
      if (UNRECORDED.has(context.method)) return next(context);
      const began = this.#clock.now();
      const { params } = context;
      const succeed = (result: JsonObject): JsonObject => {
        this.#write(context, { params, began, result });
        return result;
      };
      const fail = (error: unknown): never => {
        this.#write(context, { params, began, error });
        throw error;
      };
      try {
        const result = next(context);
        return isPromise(result) ? result.then(succeed, fail) : succeed(result);
      } catch (error) {
        return fail(error);
      }
    };

  #write(context: RequestContext, ended: Ended): void {
    try {
      this.#options.write(this.#record(context, ended));
    } catch (error) {
      this.#report(error);
    }
  }

  #record(context: RequestContext, { params, began, result, error }: Ended): AuditRecord {
    const { principal, transport, client, method } = context;
    const facts = this.#facts.get(context) ?? {};
    const deniedAt = deniedServerIn(error);
    const server = deniedAt ?? facts.server;
    const denied = deniedAt !== undefined || facts.denied === true;
    const name = nameIn(params);
    const trace = traceIn(context);
    const { _meta: _, ...rest } = params;
    return {
      time: new Date(wallNow(this.#clock)).toISOString(),
      ...(principal !== undefined && { principal }),
      ...(transport.address !== undefined && { address: transport.address }),
      ...(client.info !== undefined && { client: client.info.name.slice(0, MAX_NAME) }),
      method,
      ...(name !== undefined && { name }),
      ...(server !== undefined && { server }),
      ms: Math.round((this.#clock.now() - began) * 1000) / 1000,
      ...(result === undefined ? failureOf(error, denied, context.signal.aborted) : { outcome: outcomeOf(result) }),
      ...(trace !== undefined && { trace }),
      ...(this.#options.contents === true && { params: rest, ...(result !== undefined && { result }) }),
    };
  }
}

/** A request that has ended, and its params before any middleware changed them. */
interface Ended {
  readonly params: JsonObject;
  readonly began: number;
  readonly result?: JsonObject;
  readonly error?: unknown;
}

function outcomeOf({ resultType, isError }: JsonObject): AuditOutcome {
  if (resultType === "input_required") return "input_required";
  return isError === true ? "tool_error" : "ok";
}

function failureOf(error: unknown, denied: boolean, cancelled: boolean): Pick<AuditRecord, "outcome" | "code"> {
  const code = McpError.isMcpError(error) ? { code: error.code } : {};
  return { outcome: denied ? "denied" : cancelled ? "cancelled" : "error", ...code };
}

/** What a request names: a tool or a prompt, a URI, or what it completes. */
function nameIn({ name, uri, ref }: JsonObject): string | undefined {
  const named = ref as { name?: unknown; uri?: unknown } | undefined; // checked by the codec
  const found = name ?? uri ?? named?.name ?? named?.uri;
  return typeof found === "string" ? found.slice(0, MAX_NAME) : undefined;
}

function traceIn({ meta }: RequestContext): string | undefined {
  const { traceparent } = meta as { traceparent?: unknown };
  return typeof traceparent === "string" ? TRACE.exec(traceparent)?.[1] : undefined;
}
