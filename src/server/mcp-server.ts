/**
 * `McpServer`: the definition of a server.
 *
 * It holds what is registered, compiled once, and serves any number of connections, revisions and transports at the
 * same time. It is no connection: what is known of one lives in `Connection`. A request goes through
 * `session/handle-request.ts`, the middleware, and the method table below.
 */
import { Late } from "../base/late.ts";
import { andThen, isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpUsageError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema } from "../schema/standard-schema.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Dispatcher, LeakedHandlers } from "../dispatch/dispatcher.ts";
import { Connection } from "../session/connection.ts";
import type { Extension, ServerHost } from "../session/extension.ts";
import { compose, onlyFor, type Handler, type Middleware } from "../session/handler.ts";
import { Rounds } from "../session/asking/rounds.ts";
import { handleRequest, type RequestTarget } from "../session/handle-request.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { NoTools, TypedServer } from "../session/typed-tools.ts";
import type { Codec } from "../wire/codec.ts";
import type { Change, ListKind } from "./changes.ts";
import { deriveCapabilities } from "./derive-capabilities.ts";
import { contain, logToConsole, toMcpError, toToolFailure, type OnError } from "./failures.ts";
import { createFeatures, type Features, type FeaturesOwner } from "./features.ts";
import { disposeOf } from "./lifespan.ts";
import { ANSWERS, isServed } from "./methods.ts";
import type { OnDemand } from "./on-demand.ts";
import type { McpServerOptions } from "./options.ts";
import type { PromptHandler, PromptOptions } from "./prompts.ts";
import type { Registered } from "./registry.ts";
import type { ReadResource, ReadTemplate, ResourceOptions, ResourceTemplateOptions } from "./resources.ts";
import type { SignaturesOf, ToolSet } from "./tool.ts";
import type { ToolHandler, ToolOptions } from "./tools.ts";
import type { TemplateVariableNames } from "./uri-template.ts";

/** Turns of the microtask queue in which the end of a `listen` stream passes through middleware; more than it needs. */
const GRACE_TURNS = 100;

type ServerHandler = Handler<RequestContext>;

/**
 * A server: what it offers, and how it answers. Serve it with `serveStdio`, `serveHttp`, `createFetchHandler` or `toNodeHandler`, or
 * `connect()` to it; one serves any number of connections, revisions and transports at the same time.
 */
export class McpServer<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools>
  implements RequestTarget, FeaturesOwner, TypedServer<SignaturesOf<Offered>>, Omit<ServerHost, "use">
{
  /** Who it is, as clients are told. */
  readonly info: Implementation;
  /** For the compiler only: the tools given as an option. */
  declare readonly "~tools"?: SignaturesOf<Offered>;
  /**
   * Handlers that still run, and have ever run on, after their request was given up: cancelled, or over `handlerTimeout`, and
   * then over `handlerGrace`. Each is told to the transport's `onError` as well. Anything but 0 is a bug of a handler.
   */
  readonly leakedHandlers: Readonly<LeakedHandlers> = { running: 0, total: 0 };
  /** @internal Middleware and, innermost, the method table: rebuilt by `use`. */
  handler: ServerHandler;
  readonly #options: McpServerOptions<Lifespan, Offered>;
  readonly #onError: OnError;
  /** @internal */
  readonly features: Features;
  readonly #rounds: Rounds;
  readonly #middleware: Middleware<RequestContext>[] = [];
  /** What all requests share: opened when the first connection is served. */
  #lifespan: Late<Lifespan> | undefined;
  #opened: MaybePromise<Lifespan> | undefined;
  readonly #connections = new Set<Connection>();
  readonly #onDemand: Late<OnDemand>;
  #serving = false;
  #closed = false;
  #capabilities: ServerCapabilities | undefined;

  /**
   * Opens and serves nothing yet.
   * @throws RangeError for limits, keys or names of tools that are none, TypeError for schemas that cannot be used, McpUsageError
   * for a tool that needs an extension which is not there
   */
  constructor(info: Implementation, options: McpServerOptions<Lifespan, Offered> = {}) {
    this.info = info;
    this.#options = options;
    this.#onError = contain(options.onError ?? logToConsole);
    const { lifespan, validator = defaultJsonSchemaValidator } = options;
    if (lifespan) this.#lifespan = new Late(async () => lifespan());
    this.#rounds = new Rounds(options.requestState ?? {}, {
      audience: info.name,
      validator,
      clock: this.clock,
      warn: (warning) => this.#onError(warning, { method: "requestState" }),
    });
    this.features = createFeatures(this, options, validator);
    this.#onDemand = new Late(async () => {
      const onDemand = new (await import("./on-demand.ts")).OnDemand(this.features, this.#connections, this.clock);
      if (this.#closed) onDemand.closing.close();
      return onDemand;
    });
    this.handler = this.#route;
    for (const extension of options.extensions ?? []) this.use(extension);
    for (const [name, { options: own, handler }] of Object.entries(options.tools ?? {})) this.features.tools.add(name, own, handler);
  }

  // ---- registering ----

  /**
   * Offers a tool.
   * @throws McpUsageError for a name in use, RangeError for a bad one, TypeError for a schema that cannot be used
   */
  tool<const Input extends AnySchema | undefined = undefined, const Output extends AnySchema | undefined = undefined>(
    name: string,
    options: ToolOptions<Input, Output>,
    handler: ToolHandler<Input, Output, Lifespan>,
  ): Registered<ToolOptions> {
    return this.features.tools.add(name, options, handler);
  }

  /** Offers one resource under a fixed URI. @throws McpUsageError for a URI in use, TypeError for one that is not absolute */
  resource(uri: string, options: ResourceOptions, read: ReadResource<Lifespan>): Registered<ResourceOptions> {
    return this.features.resources.add(uri, options, read);
  }

  /** Offers a family of resources by RFC 6570 template. @throws McpUsageError for a template in use, TypeError for a bad one */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    options: ResourceTemplateOptions<TemplateVariableNames<Template>>,
    read: ReadTemplate<Template, Lifespan>,
  ): Registered<ResourceTemplateOptions> {
    return this.features.templates.add(uriTemplate, options, read);
  }

  /** Offers a prompt. @throws McpUsageError for a name in use, TypeError for a schema that cannot be used */
  prompt<const Input extends AnySchema | undefined = undefined>(
    name: string,
    options: PromptOptions<Input>,
    handler: PromptHandler<Input, Lifespan>,
  ): Registered<PromptOptions> {
    return this.features.prompts.add(name, options, handler);
  }

  /**
   * Wraps every request, or those of one method; what was added first is outermost. Takes effect at once.
   * An extension is served from now on; add it before the tools that use it.
   */
  use(added: Middleware<RequestContext<Lifespan>> | Extension): this;
  /** Wraps the requests of one method, inside what was added before. */
  use(method: string, middleware: Middleware<RequestContext<Lifespan>>): this;
  use(first: string | Middleware<RequestContext<Lifespan>> | Extension, second?: Middleware<RequestContext<Lifespan>>): this {
    if (typeof first === "object") {
      // Contexts of this server carry its own lifespan; extensions know of none.
      this.features.extensions = first.serve(this as Omit<ServerHost, "use"> as ServerHost, this.features.extensions);
      this.#capabilities = undefined;
      if (this.#serving) this.features.extensions.begin();
      return this;
    }
    const middleware = typeof first === "string" ? onlyFor(first, second!) : first;
    this.#middleware.push(middleware as Middleware<RequestContext>); // contexts of this server carry its own lifespan
    this.handler = compose(this.#middleware, this.#route);
    return this;
  }

  /** Tells clients that watch it that a resource has changed. */
  resourceUpdated(uri: string | URL): void {
    this.#publish({ kind: "resource", uri: String(uri) });
  }

  // ---- serving ----

  /** What this server can do, derived from what is registered. */
  get capabilities(): ServerCapabilities {
    const { logging = true, capabilities = {} } = this.#options;
    const { features } = this;
    return (this.#capabilities ??= deriveCapabilities(features, logging, features.extensions?.declare(capabilities) ?? capabilities));
  }

  /**
   * Serves one connection until it ends. Transports call it; `serveStdio` and `connect(server)` do so for you.
   * @throws McpUsageError after `close()`, TypeError for a tool or prompt whose schema cannot be used, and whatever `lifespan`
   * throws, before anything is served
   */
  async accept(dispatcher: Dispatcher): Promise<void> {
    this.#assertOpen();
    const { uncompiled } = this.features;
    if (!this.#serving && uncompiled.waiting) {
      const [unusable] = await uncompiled.compile();
      if (unusable) throw unusable.error;
    }
    if (this.#lifespan) await (this.#opened = this.#lifespan.get());
    this.#assertOpen();
    return this.#serve(dispatcher); // not awaited: a session lasts for hours, and a function that waits keeps all it has
  }

  #serve(dispatcher: Dispatcher): Promise<void> {
    if (!this.#serving) this.#begin();
    const connection = new Connection(dispatcher, this.#options.logging);
    const served = dispatcher.run(
      (request) => handleRequest(this, connection, request),
      (method) => connection.notified(method),
    );
    this.#connections.add(connection);
    const ended = (): void => void this.#connections.delete(connection);
    served.then(ended, ended);
    return served;
  }

  #begin(): void {
    this.#serving = true;
    if (this.features.uncompiled.waiting) void this.#withdrawUnusable(); // registered while the lifespan was opened
    this.features.extensions?.begin();
  }

  /** What is registered while the server serves is compiled at once. If it cannot be used, it is disabled and the operator is told. */
  async #withdrawUnusable(): Promise<void> {
    for (const { error, handle } of await this.features.uncompiled.compile()) {
      if (!handle.enabled) continue; // another change has found it out, too
      handle.disable();
      this.#onError(error, { method: "schemas" });
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new McpUsageError("This server is closed");
  }

  /** Ends all connections, open `listen` streams with their graceful end, and disposes of the lifespan. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#onDemand.loaded?.closing.close();
    this.#rounds.close();
    await this.features.extensions?.close();
    // What that settled is answered within the next turns; then the connections may go.
    for (let turn = 0; turn < GRACE_TURNS; turn++) await Promise.resolve();
    await Promise.all([...this.#connections].map(({ dispatcher }) => dispatcher.close()));
    const opened = this.#opened;
    this.#lifespan = this.#opened = undefined;
    await disposeOf(opened);
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  // ---- what `handleRequest` asks of a server ----

  /** @internal */
  get lifespan(): Lifespan | undefined {
    return this.#lifespan?.loaded;
  }

  /** @internal */
  get headerNames(): HeaderNames | undefined {
    return this.features.extensions?.headerNames;
  }

  /** @internal */
  get clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  /** @internal */
  has(method: string, codec: Codec): boolean {
    if (this.features.extensions?.handlerOf(method, codec)) return true;
    return codec.hasRequest(method, "client") && isServed(method, this.capabilities);
  }

  /** @internal */
  run(context: RequestContext): MaybePromise<JsonObject> {
    context.rounds = this.#rounds;
    return this.#answer(context);
  }

  /** @internal */
  recover(error: unknown, context: RequestContext): JsonObject | undefined {
    return context.method === "tools/call" ? toToolFailure(error, context, this.#onError) : undefined;
  }

  /** @internal */
  toMcpError(error: unknown, method: string): McpError {
    return toMcpError(error, method, this.#onError);
  }

  readonly #answer: ServerHandler = (context) => {
    context.requireScopes();
    const { features } = this;
    const { method, codec } = context;
    const answer = ANSWERS.get(method);
    if (answer) return answer(features, context);
    const added = features.extensions?.handlerOf(method, codec);
    return added ? added(context) : andThen(this.#onDemand.get(), (onDemand) => onDemand.answer(context));
  };

  /** Innermost handler: every round of a call comes through the middleware. */
  readonly #route: ServerHandler = (context) => this.#rounds.run(context, this.#answer);

  /** @internal */
  changed(kind: ListKind): void {
    this.#capabilities = undefined;
    if (this.#serving && this.features.uncompiled.waiting) void this.#withdrawUnusable();
    this.#publish({ kind });
  }

  /** Tells whom it concerns. What that takes is loaded with the first change that somebody may have to hear of. */
  #publish(change: Change): void {
    if (this.#connections.size === 0) return;
    const told = andThen(this.#onDemand.get(), ({ changes }) => changes.publish(change));
    if (isPromise(told)) told.catch((error: unknown) => this.#onError(error, { method: "notifications" }));
  }
}
