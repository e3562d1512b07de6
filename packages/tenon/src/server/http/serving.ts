/**
 * The shared state of all requests of one endpoint: settings, open streams, and the time limits of running requests.
 *
 * It does not depend on sessions or revisions: it counts stateful and stateless requests alike.
 */
import { onAbort } from "../../base/abort.ts";
import { PassingSet } from "../../base/passing.ts";
import { reportTo } from "../../base/report-to.ts";
import type { Clock } from "../../base/clock.ts";
import { JsonText, type JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { stringifyResult } from "../../jsonrpc/serialise.ts";
import type { ChannelTerms } from "../../dispatch/channel.ts";
import { Deadlines, type Watched } from "../../dispatch/deadlines.ts";
import type { AuthorizedClient } from "./authorized-client.ts";
import { EventStream } from "./exchange/event-stream.ts";
import { Heartbeat, type HeartbeatTarget } from "./exchange/heartbeat.ts";
import { LongLivedStreams } from "./exchange/long-lived-streams.ts";
import type { AcceptHeader } from "./http-message.ts";
import type { ResponseMode } from "./options.ts";
import type { HttpSettings } from "./settings.ts";
import { TokenExpiries } from "./exchange/token-expiries.ts";

export class Serving implements ChannelTerms {
  readonly settings: HttpSettings;
  readonly limits: HttpSettings["limits"];
  readonly heartbeat: Heartbeat;
  readonly longLived: LongLivedStreams;
  readonly #expiring = new PassingSet<Watched>();
  readonly #deadlines: Deadlines;
  #tokenExpiries: TokenExpiries | undefined;
  /** Whether new requests are refused. */
  draining = false;
  /** False while what this process reads may have been given up, because it stood still. The nodes that share stores set it. */
  awake: () => boolean = () => true;
  /** Requests without a response so far. */
  running = 0;
  /** Running requests and long-lived streams. */
  #busy = 0;
  #onIdle: (() => void) | undefined;

  constructor(settings: HttpSettings) {
    this.settings = settings;
    this.limits = settings.limits;
    this.heartbeat = new Heartbeat(settings.clock, settings.streams.keepAlive);
    this.longLived = new LongLivedStreams(settings.streams, { begin: () => void this.#busy++, end: () => this.#rest() });
    this.#deadlines = new Deadlines(
      settings.clock,
      () => this.#expiring,
      (error) => this.report(error),
    );
  }

  get clock(): Clock {
    return this.settings.clock;
  }

  /**
   * Serializes a result. @throws TypeError if the result has no JSON form or is not an object, LimitExceededError -32603 if it is longer
   * than `limits.maxResultSize`
   */
  encode(result: JsonObject): JsonText {
    const max = this.settings.limits.maxResultSize;
    const text = stringifyResult(result);
    if (text.length > max) throw new LimitExceededError("limits.maxResultSize", max, text.length, ErrorCode.InternalError);
    return new JsonText(text);
  }

  now(): number {
    return this.settings.clock.now();
  }

  /** The form of the response. The specification wants clients to accept both; one that accepts only one of them gets that. */
  modeFor({ json, events }: AcceptHeader): ResponseMode {
    if (!events) return "json";
    return json ? this.settings.responseMode : "sse";
  }

  watch(expiring: Watched): void {
    expiring.isWatched = true;
    this.#expiring.add(expiring);
    this.#deadlines.watch(expiring.deadline);
  }

  forget(expiring: Watched): void {
    if (!expiring.isWatched) return;
    expiring.isWatched = false;
    this.#expiring.delete(expiring);
    if (this.#expiring.size === 0) this.#deadlines.stop();
  }

  /** Turns a reply into a stream after `sseAfter`, unless the endpoint sends no streams. */
  awaitReply(reply: Watched & { deadline: number }): void {
    const { responseMode, streams } = this.settings;
    if (responseMode === "json" || streams.after === Infinity) return;
    reply.deadline = this.now() + streams.after;
    this.watch(reply);
  }

  started(): void {
    this.running++;
    this.#busy++;
  }

  ended(): void {
    this.running--;
    this.#rest();
  }

  #rest(): void {
    if (--this.#busy === 0) this.#onIdle?.();
  }

  /** Resolves when no request runs and no stream is open, or after `ms` milliseconds. */
  idleWithin(ms: number): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    const { clock } = this.settings;
    return new Promise((resolve) => {
      const timer = clock.setTimer(ms, resolve);
      this.#onIdle = () => {
        clock.clearTimer(timer);
        resolve();
      };
    });
  }

  /**
   * Watches responses that wait for a client: they are cut if the client does not read, and draining waits for them. Returns a function
   * that ends the watch.
   */
  hold(responses: HeartbeatTarget): () => void {
    this.heartbeat.add(responses);
    this.#busy++;
    return () => {
      this.heartbeat.delete(responses);
      this.#rest();
    };
  }

  /** Opens a stream that is kept alive, and cut if its client does not read. */
  openStream(): EventStream {
    const stream = new EventStream(this.settings.limits);
    this.heartbeat.add(stream);
    return stream;
  }

  /** Calls `end` when the token of `caller` expires or is revoked. Returns a function that cancels this; undefined if neither can happen. */
  endWithToken(caller: AuthorizedClient | undefined, end: () => void): (() => void) | undefined {
    if (caller === undefined) return undefined;
    const stops = [this.#atExpiry(caller, end), atRevocation(caller, end)].filter((stop) => stop !== undefined);
    return stops.length === 0 ? undefined : () => stops.forEach((stop) => stop());
  }

  #atExpiry({ until }: AuthorizedClient, end: () => void): (() => void) | undefined {
    if (until === Infinity) return undefined;
    return (this.#tokenExpiries ??= new TokenExpiries(this.settings.clock)).add(until, end);
  }

  report(error: unknown): void {
    reportTo(this.settings.onError, error);
  }

  stop(): void {
    this.#deadlines.stop();
    this.heartbeat.cutAll();
    this.#tokenExpiries?.stop();
  }
}

function atRevocation({ ended }: AuthorizedClient, end: () => void): (() => void) | undefined {
  if (ended?.aborted === true) queueMicrotask(end); // revoked since the request was let in
  return ended && onAbort(ended, end);
}
