/**
 * The audit log of a server and of a gateway: one record for each request of a client, when it has ended. Each round of a call is a request.
 *
 * A record says who asked what of which server, how long it took and how it ended. It holds no arguments and no results, unless the
 * operator wants them, and no token in any case.
 */
import { wallNow, type Clock } from "../../base/clock.ts";
import { attempt, settle } from "../../base/maybe-promise.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Handler } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { redaction, type Redact } from "./redaction.ts";

/**
 * How a request ended: with a result, with the failure of a tool, with a question to the client, refused by the policy, cancelled, or with an
 * error.
 */
export type AuditOutcome = "ok" | "tool_error" | "input_required" | "denied" | "cancelled" | "error";

/** One request that has ended. It is JSON. */
export interface AuditRecord {
  /** When the request ended, as RFC 3339 in UTC. */
  readonly time: string;
  /** The authenticated client; absent without authentication. */
  readonly principal?: string;
  /** The user of the token, or the name of the caller; absent without authentication. */
  readonly subject?: string;
  /** The address of the client; absent if the transport has none. */
  readonly address?: string;
  /** The name of the client's program. Security: the client's own word. */
  readonly client?: string;
  /** The request's method. */
  readonly method: string;
  /** The tool, the prompt or the URI, as the client named it. */
  readonly name?: string;
  /** The server behind a gateway that it went to; absent if the gateway responded itself. */
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

/** What is recorded, and where: the options of {@link audit}, and the option `audit` of a gateway. */
export interface AuditOptions {
  /** Gets each record. It must not block; what it throws or rejects with goes to `onError`, and the request is not affected. */
  write: (record: AuditRecord) => void;
  /** Adds the params and the result to each record. Security: they may hold secrets and personal data; see `redact`. Default false. */
  contents?: boolean;
  /** What of the contents, and of names, is replaced by `[redacted]`. Default: nothing. */
  redact?: Redact;
}

/** Characters of a name that a client writes. */
const MAX_NAME = 512;
/** Requests that say nothing about what a client did. */
const UNRECORDED: ReadonlySet<string> = new Set(["ping"]);
/** Where a request may have the name, the first one first. */
const NAMES = [
  ["params", "name"],
  ["params", "uri"],
  ["params", "ref", "name"],
  ["params", "ref", "uri"],
] as const;
const TRACE = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

/** What is known of a request beside its context. */
export interface AuditFacts {
  readonly server?: string | undefined;
  readonly denied?: boolean;
  /** Whether the failure is a tool's own. */
  readonly isToolError?: boolean;
}

export type FactsOf = (context: RequestContext, error: unknown) => AuditFacts;

export interface AuditSettings extends AuditOptions {
  readonly clock: Clock;
  /** Gets what `write` throws. */
  readonly report: (error: unknown) => void;
  readonly factsOf: FactsOf;
}

/** Middleware for servers, whatever their lifespan is. */
export type AuditLayer = <C extends RequestContext>(next: Handler<C>) => Handler<C>;

export class AuditLog {
  readonly #settings: AuditSettings;
  readonly #redacted: ReturnType<typeof redaction>;

  /** @throws TypeError if a path or a pattern of `redact` is wrong */
  constructor(settings: AuditSettings) {
    this.#settings = settings;
    this.#redacted = redaction(settings.redact);
  }

  readonly layer: AuditLayer =
    <C extends RequestContext>(next: Handler<C>): Handler<C> =>
    (context) => {
      if (UNRECORDED.has(context.method)) return next(context);
      const began = this.#settings.clock.now();
      const { params } = context;
      const succeed = (result: JsonObject): JsonObject => {
        this.#write(context, { params, began, result });
        return result;
      };
      const fail = (error: unknown): never => {
        this.#write(context, { params, began, error });
        throw error;
      };
      return settle(() => next(context), succeed, fail);
    };

  #write(context: RequestContext, ended: Ended): void {
    void attempt(() => {
      const named = namedIn(ended.params);
      const redacted = this.#redacted(this.#record(context, ended, named.name), named.path);
      const { name = "" } = redacted;
      // A name is cut after it is redacted: half of a secret would fit no pattern.
      return this.#settings.write(name.length <= MAX_NAME ? redacted : { ...redacted, name: name.slice(0, MAX_NAME) });
    }, this.#settings.report);
  }

  /** Members are set one by one: a spread with a new member costs a microsecond on Node 20. */
  #record(context: RequestContext, { params, began, result, error }: Ended, name: string | undefined): AuditRecord {
    const { principal, auth, transport, client, method } = context;
    const facts = this.#settings.factsOf(context, error);
    const { clock, contents } = this.#settings;
    const record: { -readonly [K in keyof AuditRecord]?: AuditRecord[K] } = { time: new Date(wallNow(clock)).toISOString() };
    if (principal !== undefined) record.principal = principal;
    if (auth?.subject !== undefined) record.subject = auth.subject;
    if (transport.address !== undefined) record.address = transport.address;
    if (client.info !== undefined) record.client = client.info.name.slice(0, MAX_NAME);
    record.method = method.slice(0, MAX_NAME);
    if (name !== undefined) record.name = name;
    if (facts.server !== undefined) record.server = facts.server;
    record.ms = Math.round((clock.now() - began) * 1000) / 1000;
    if (result === undefined) Object.assign(record, failureOf(error, facts, context.signal.aborted));
    else record.outcome = outcomeOf(result);
    const trace = traceIn(context);
    if (trace !== undefined) record.trace = trace;
    if (contents === true) {
      const { _meta: _, ...rest } = params;
      record.params = rest;
      if (result !== undefined) record.result = result;
    }
    return record as AuditRecord; // with all that it must have
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

function failureOf(error: unknown, { denied, isToolError }: AuditFacts, cancelled: boolean): Pick<AuditRecord, "outcome" | "code"> {
  const code = McpError.isMcpError(error) ? { code: error.code } : {};
  const outcome = denied === true ? "denied" : cancelled ? "cancelled" : isToolError === true ? "tool_error" : "error";
  return { outcome, ...code };
}

/** What a request names: a tool or a prompt, a URI, or what it completes; and where its params have that. */
function namedIn(params: JsonObject): { readonly name?: string; readonly path: readonly string[] } {
  for (const path of NAMES) {
    let found: unknown = params;
    for (let depth = 1; depth < path.length; depth++) found = isJsonObject(found) ? found[path[depth]!] : undefined;
    if (found !== undefined && found !== null) return typeof found === "string" ? { name: found, path } : { path };
  }
  return { path: [] };
}

function traceIn({ meta }: RequestContext): string | undefined {
  const { traceparent } = meta as { traceparent?: unknown };
  return typeof traceparent === "string" ? TRACE.exec(traceparent)?.[1] : undefined;
}
