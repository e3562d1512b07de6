/**
 * Serves the stateless revisions of an endpoint: each request is complete in itself.
 *
 * The server accepts it once, as one connection without a client; each HTTP exchange is a request on it. Errors in headers come before
 * errors of the method.
 */
import { PassingSet } from "../../../base/passing.ts";
import { andThen, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { JSONRPCRequest } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Dispatcher, OnRequest } from "../../../dispatch/dispatcher.ts";
import { shareOf, type Requirements } from "../../../transport/transport-context.ts";
import { methodsOf } from "../../../protocol/methods.ts";
import { STATELESS_VERSIONS } from "../../../protocol/versions.ts";
import { LENIENT, STRICT, type Reading } from "../../../wire/deviations.ts";
import type { HttpRequest, HttpResponse, AcceptHeader } from "../http-message.ts";
import { argumentMismatch, mirrorMismatch } from "../endpoint/mirrored-headers.ts";
import { badRequest, notAcceptable, refusedBy, tooMany } from "../refusals.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";
import { StatelessExchange } from "./stateless-exchange.ts";
import { firstFault } from "./stateless-faults.ts";

const METHODS = /* @__PURE__ */ methodsOf(STATELESS_VERSIONS[0]);

/** A request that claims a stateless revision. */
interface ArrivedRequest {
  readonly request: HttpRequest;
  readonly message: JSONRPCRequest;
  readonly accepts: AcceptHeader;
  readonly required: Requirements | undefined;
}

export class StatelessEndpoint implements Dispatcher {
  acceptsBatches = false;
  readonly #server: Acceptor;
  readonly #serving: Serving;
  readonly #joined: () => MaybePromise<unknown>;
  readonly #running = new PassingSet<StatelessExchange>();
  /** Exchanges that stay open by design. */
  readonly #longLived = new Set<StatelessExchange>();
  #onRequest: OnRequest | undefined;
  #starting: Promise<void> | undefined;
  #started: (() => void) | undefined;
  #end: (() => void) | undefined;

  /** @param joined resolves when streams of changes hear the changes of all nodes */
  constructor(server: Acceptor, serving: Serving, joined: () => MaybePromise<unknown>) {
    this.#server = server;
    this.#serving = serving;
    this.#joined = joined;
  }

  handle(arrived: ArrivedRequest): MaybePromise<HttpResponse> {
    return isLongLived(arrived.message) ? andThen(this.#joined(), () => this.#serve(arrived)) : this.#serve(arrived);
  }

  #serve(arrived: ArrivedRequest): MaybePromise<HttpResponse> {
    const refused = this.#refuse(arrived);
    if (refused !== undefined) return refused;
    const starting = this.#onRequest === undefined ? this.#start() : undefined;
    if (this.#onRequest !== undefined) return this.#run(arrived, this.#onRequest);
    return starting!.then(
      () => this.#run(arrived, this.#onRequest!),
      (error: unknown) => {
        this.#serving.report(error);
        return refusedBy(error, arrived.message.id);
      },
    );
  }

  #run({ request, message, accepts, required }: ArrivedRequest, onRequest: OnRequest): MaybePromise<HttpResponse> {
    const stays = isLongLived(message);
    const [serving, reading, mode] = [this.#serving, this.#reading, this.#modeFor(accepts, stays)];
    const exchange = new StatelessExchange({ serving, request, message, required, mode, reading });
    // Counted before the handler runs, because the handler opens it.
    if (stays) this.#trackLongLived(exchange, request);
    const response = exchange.run(onRequest);
    if (!stays && !exchange.done) this.#track(exchange);
    return response;
  }

  #track(exchange: StatelessExchange): void {
    this.#serving.started();
    this.#running.add(exchange);
    exchange.onDone = () => {
      this.#running.delete(exchange);
      this.#serving.ended();
    };
  }

  #trackLongLived(exchange: StatelessExchange, request: HttpRequest): void {
    const leave = this.#serving.longLived.open(shareOf(request));
    const forget = this.#serving.endWithToken(request.caller, () =>
      exchange.stop(new McpError(ErrorCode.InvalidRequest, "The token has expired")),
    );
    this.#longLived.add(exchange);
    exchange.onDone = () => {
      this.#longLived.delete(exchange);
      leave();
      forget?.();
    };
  }

  /** A request that stays open is a stream in each mode: everything that it is for comes before its result. */
  #modeFor(accepts: AcceptHeader, stays: boolean): ResponseMode {
    const mode = this.#serving.modeFor(accepts);
    return stays && mode === "json" ? "auto" : mode;
  }

  #refuse({ request, message, accepts, required }: ArrivedRequest): HttpResponse | undefined {
    const { id, method, params } = message;
    const wrong =
      mirrorMismatch(request, method, params, this.#server.http?.headerNames) ??
      (required?.inputSchema && argumentMismatch(request, required.inputSchema, params?.["arguments"]));
    if (wrong !== undefined) return badRequest(firstFault(request, message, this.#reading) ?? wrong, id);
    if (isLongLived(message)) {
      if (!accepts.events) return notAcceptable("text/event-stream", id);
      const full = this.#serving.longLived.refuse(shareOf(request), id);
      if (full !== undefined) return full;
    }
    return this.#serving.running >= this.#serving.settings.limits.maxRunning ? tooMany(503, "limits.maxRunning", id) : undefined;
  }

  get #reading(): Reading {
    return this.#server.http?.strict === true ? STRICT : LENIENT;
  }

  /** Ends long-lived streams in order. */
  endLongLived(): void {
    for (const exchange of [...this.#longLived]) exchange.stop(new McpError(ErrorCode.InternalError, "The server is shutting down"));
  }

  failAll(error: McpError): void {
    for (const exchange of [...this.#running, ...this.#longLived]) exchange.fail(error);
  }

  // ---- as the server sees it: one connection without a client ----

  run(onRequest: OnRequest): Promise<void> {
    this.#onRequest = onRequest;
    this.#started?.();
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Resolves when the server serves. After a failure the next request tries again. */
  #start(): Promise<void> {
    return (this.#starting ??= new Promise((resolve, reject) => {
      this.#started = resolve;
      this.#server.accept(this).then(
        () => this.#forget(),
        (error: unknown) => {
          this.#forget();
          reject(error instanceof Error ? error : new Error("The server refused to serve", { cause: error }));
        },
      );
    }));
  }

  #forget(): void {
    this.#starting = undefined;
    this.#onRequest = undefined;
  }

  request(method: string): Promise<never> {
    return Promise.reject(new NoBackChannelError(method));
  }

  notify(): undefined {
    return undefined;
  }

  close(reason?: unknown): Promise<void> {
    const closed = reason ?? new McpError(ErrorCode.InternalError, "The server has been closed");
    for (const exchange of [...this.#running, ...this.#longLived]) exchange.cancel(closed);
    this.#end?.();
    return Promise.resolve();
  }
}

function isLongLived(message: JSONRPCRequest): boolean {
  return METHODS.get(message.method)?.staysOpen === true;
}
