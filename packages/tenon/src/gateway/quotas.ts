/**
 * The option `quotas`: how much one caller may ask of one server. A refused request has not reached the server.
 *
 * A caller is a principal, or else an address. Quotas of a server are its own; other servers have the quotas of `"*"`.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { CallerBuckets } from "../base/bounds/caller-buckets.ts";
import type { Clock } from "../base/clock.ts";
import { isSameJson } from "../base/json-values.ts";
import { assertAtLeast, assertDuration } from "../base/number-options.ts";
import { ErrorCode, LimitExceededError, McpError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RequestContext } from "../session/request-context.ts";

/** How much one caller may ask of one server. */
export interface Quota {
  /** Requests within `per`, also at once. Each resource that a caller begins to watch counts as one. Default: no limit. */
  requests?: number;
  /** The time that `requests` applies to, in milliseconds. Default 60 000. */
  per?: number;
  /**
   * Requests that run at once. A call that waits for an answer to its question counts until it ends. Default: no limit but
   * `limits.maxInFlight` of the connection.
   */
  running?: number;
  /** Characters of the params, as JSON. Default: no limit but the transport's. */
  paramsSize?: number;
  /** Characters of the result, as JSON. Default: no limit but the transport's. */
  resultSize?: number;
}

const KEYS: OptionKeys<Quota> = { requests: 1, per: 1, running: 1, paramsSize: 1, resultSize: 1 };
/** The name of the quota of servers that have none of their own. */
const OTHERS = "*";
/** Most callers of one server within a time; one more is refused. */
const MAX_CALLERS = 10_000;

export class Quotas {
  isEmpty = true;
  readonly #clock: Clock;
  #quotas: ReadonlyMap<string, Quota> = new Map();
  #servers = new Map<string, ServerQuota>();

  /** @throws as {@link Quotas.replace} */
  constructor(quotas: { readonly [server: string]: Quota }, clock: Clock) {
    this.#clock = clock;
    this.replace(quotas);
  }

  /** Servers whose quota stays the same keep what their callers have used. @throws TypeError if an option does not exist; RangeError if a limit is below 1 */
  replace(quotas: { readonly [server: string]: Quota }): void {
    const next = new Map(Object.entries(quotas));
    for (const [server, quota] of next) assertQuota(server, quota);
    this.#quotas = next;
    this.isEmpty = next.size === 0;
    this.#servers = new Map([...this.#servers].filter(([name, { quota }]) => isSameJson(quota, this.#quotaOf(name))));
  }

  /**
   * Runs a request of a client if the rate and the sizes of its caller allow it.
   * @throws McpError -32603 that names the server, the quota and when to retry
   */
  async run(context: RequestContext, server: string, forward: () => Promise<JsonObject>): Promise<JsonObject> {
    const quota = this.#of(server);
    return quota === undefined ? forward() : quota.run(context, forward);
  }

  /**
   * Counts what runs at a server until it ends: a call that was suspended by a question runs on when the request of the client has ended.
   * @throws McpError -32603 that names the server, the quota and when to retry
   */
  countRunning(context: RequestContext, server: string, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const quota = this.#of(server);
    return quota?.quota.running === undefined ? send() : quota.countRunning(context, quota.quota.running, send);
  }

  #of(name: string): ServerQuota | undefined {
    let server = this.#servers.get(name);
    const quota = this.#quotaOf(name);
    if (server === undefined && quota !== undefined) this.#servers.set(name, (server = new ServerQuota(name, quota, this.#clock)));
    return server;
  }

  #quotaOf(name: string): Quota | undefined {
    return this.#quotas.get(name) ?? this.#quotas.get(OTHERS);
  }
}

class ServerQuota {
  readonly #name: string;
  readonly quota: Quota;
  readonly #clock: Clock;
  readonly #buckets: CallerBuckets | undefined;
  readonly #running = new Map<string, number>();

  constructor(name: string, quota: Quota, clock: Clock) {
    this.#name = name;
    this.quota = quota;
    this.#clock = clock;
    const { requests, per = 60_000 } = quota;
    this.#buckets = requests === undefined ? undefined : new CallerBuckets(requests, per, MAX_CALLERS);
  }

  async run(context: RequestContext, forward: () => Promise<JsonObject>): Promise<JsonObject> {
    const { resultSize, paramsSize } = this.quota;
    const caller = context.share ?? "";
    if (paramsSize !== undefined) assertSize("paramsSize", context.params, paramsSize);
    this.#assertRate(caller);
    const result = await forward();
    if (resultSize !== undefined) assertSize("resultSize", result, resultSize);
    return result;
  }

  #assertRate(caller: string): void {
    const wait = this.#buckets?.take(caller, this.#clock.now());
    if (wait === undefined) return;
    const { requests, per = 60_000 } = this.quota;
    throw this.#refusal("requests", requests!, `more than ${requests} requests to server "${this.#name}" within ${per} ms`, wait);
  }

  async countRunning(context: RequestContext, max: number, send: () => Promise<JsonObject>): Promise<JsonObject> {
    const caller = context.share ?? "";
    const count = this.#running.get(caller) ?? 0;
    if (count >= max) throw this.#refusal("running", max, `${max} requests to server "${this.#name}" run`, 1_000);
    this.#running.set(caller, count + 1);
    try {
      return await send();
    } finally {
      const left = this.#running.get(caller)! - 1;
      if (left === 0) this.#running.delete(caller);
      else this.#running.set(caller, left);
    }
  }

  #refusal(limit: "requests" | "running", max: number, why: string, wait: number): McpError {
    const data = { limit: `quotas.${limit}`, max, server: this.#name, reason: "rateLimited", retryAfterMs: Math.ceil(wait) };
    return new McpError(ErrorCode.InternalError, `Busy: ${why} (option "quotas")`, data);
  }
}

function assertSize(limit: "paramsSize" | "resultSize", value: JsonObject, max: number): void {
  const size = JSON.stringify(value).length;
  if (size > max) throw new LimitExceededError(`quotas.${limit}`, max, size, ErrorCode.InternalError);
}

function assertQuota(server: string, quota: Quota): void {
  assertKnown(`"quotas" of server "${server}"`, quota, KEYS);
  const { per, ...limits } = quota;
  for (const [name, value] of Object.entries(limits)) assertAtLeast(`quotas.${name}`, value, 1);
  if (per !== undefined) assertAtLeast("quotas.per", assertDuration("quotas.per", per), 1);
}
