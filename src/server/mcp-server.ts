/**
 * `McpServer`: the definition of a server.
 *
 * It holds what is registered, and serves any number of connections, revisions and transports at the same time. It is no
 * connection: what is known of one lives in `Connection`. What a request passes through is in `request-chain.ts`.
 */
import { assertKnown } from "../base/known-options.ts";
import { systemClock } from "../base/clock.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Requirements } from "../transport/transport-context.ts";
import type { TemplateVariableNames } from "../base/uri-template/uri-template.ts";
import type { Dispatcher, LeakedHandlers } from "../dispatch/dispatcher.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { RequestMethod } from "../protocol/messages.ts";
import type { HeaderNames } from "../protocol/methods.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema, WholeSchemas } from "../schema/standard-schema.ts";
import { RoundMiddleware } from "../session/asking/round-middleware.ts";
import type { Extension } from "../session/extension.ts";
import type { MethodMiddleware, Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { NoTools, TypedServer } from "../session/typed-tools.ts";
import { Changes } from "./changes.ts";
import { Connections } from "./connections.ts";
import { contain, logToConsole } from "./failures.ts";
import { Features } from "./features.ts";
import { ServerLifespan } from "./lifespan.ts";
import { SERVER_OPTIONS, type McpServerOptions } from "./options.ts";
import type { PromptHandler, PromptOptions } from "./prompts.ts";
import type { Registered } from "./registry.ts";
import { requirementsOf } from "./requirements.ts";
import { RequestChain, type ServerParts } from "./request-chain.ts";
import type { ReadResource, ReadTemplate, ResourceOptions, ResourceTemplateOptions } from "./resources.ts";
import type { SignaturesOf, ToolSet } from "./tool.ts";
import type { ToolHandler, ToolOptions } from "./tools.ts";

/**
 * A server: what it offers, and how it answers. Serve it with `serveStdio`, `serveHttp`, `createFetchHandler` or `toNodeHandler`, or
 * `connect()` to it; one serves any number of connections, revisions and transports at the same time.
 */
export class McpServer<Lifespan = undefined, Offered extends ToolSet<Lifespan> = NoTools> implements TypedServer<SignaturesOf<Offered>> {
  /** Who it is, as clients are told. */
  readonly info: Implementation;
  /** For the compiler only: the tools given as an option. */
  declare readonly "~tools"?: SignaturesOf<Offered>;
  /**
   * Handlers that still run, and have ever run on, after their request was given up: cancelled, or over `limits.handlerTimeout`, and
   * then over `limits.handlerGrace`. Each is told to the transport's `onError` as well. Anything but 0 is a bug of a handler.
   */
  readonly leakedHandlers: Readonly<LeakedHandlers> = { running: 0, total: 0 };
  /** @internal */
  readonly features: Features;
  /** @internal The names that its extensions want in the headers of HTTP, by method. */
  headerNames: HeaderNames | undefined;
  readonly #chain: RequestChain;
  readonly #connections: Connections;

  /**
   * Opens and serves nothing yet.
   * @throws RangeError for limits, keys or names of tools that are none, TypeError for schemas that cannot be used, McpUsageError
   * for a tool that needs an extension which is not there
   */
  constructor(info: Implementation, options: McpServerOptions<Lifespan, Offered> = {}) {
    assertKnown("new McpServer()", options, SERVER_OPTIONS);
    const { lifespan, instructions, logging, clock = systemClock, validator = defaultJsonSchemaValidator } = options;
    const onError = contain(options.onError ?? logToConsole);
    const warn = (warning: Error): void => onError(warning, { method: "requestState" });
    this.info = info;
    this.features = new Features({ ...options, validator }, (kind) => this.#connections.changed({ kind }));
    const parts: ServerParts = {
      server: { info, facts: () => ({ capabilities: this.capabilities, ...(instructions !== undefined && { instructions }) }) },
      features: this.features,
      changes: new Changes(clock),
      rounds: new RoundMiddleware(options.requestState ?? {}, { audience: info.name, validator, clock, warn }),
      lifespan: lifespan && new ServerLifespan(lifespan),
      leakedHandlers: this.leakedHandlers,
      clock,
      onError,
    };
    this.#chain = new RequestChain(parts);
    this.#connections = new Connections(parts, this.#chain, logging);
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
    options: ToolOptions<Input, Output> & WholeSchemas<{ input: Input; output: Output }>,
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
    options: PromptOptions<Input> & WholeSchemas<{ input: Input }>,
    handler: PromptHandler<Input, Lifespan>,
  ): Registered<PromptOptions> {
    return this.features.prompts.add(name, options, handler);
  }

  /**
   * Wraps every request, or those of one method; what was added first is outermost. Takes effect at once.
   * An extension is served from now on; add it before the tools that use it.
   */
  use(added: Middleware<RequestContext<Lifespan>> | Extension): this;
  /** Wraps the requests of one method, inside what was added before; params and results are those of the method. */
  use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, RequestContext<Lifespan>>): this;
  /** Wraps the requests of any method, such as one of an extension. */
  use(method: string, middleware: Middleware<RequestContext<Lifespan>>): this;
  use(first: string | Middleware<RequestContext<Lifespan>> | Extension, second?: unknown): this {
    // Contexts of this server carry its own lifespan; what is inside knows of none.
    if (typeof first === "string") this.#chain.use(first, second as Middleware<RequestContext>);
    else if (typeof first === "function") this.#chain.use(first as Middleware<RequestContext>);
    else this.#extend(first);
    return this;
  }

  #extend(extension: Extension): void {
    this.features.extend(extension, this.#chain);
    this.headerNames = this.features.extensions?.headerNames;
    if (this.#connections.serving) this.features.extensions?.begin();
  }

  /** Tells clients that watch it that a resource has changed. */
  resourceUpdated(uri: string | URL): void {
    this.#connections.changed({ kind: "resource", uri: String(uri) });
  }

  // ---- serving ----

  /** What this server can do, derived from what is registered. */
  get capabilities(): ServerCapabilities {
    return this.features.capabilities;
  }

  /** @internal What a request requires before any of it runs: see `Acceptor`. */
  requirementsOf(method: string, params: JsonObject): Requirements | undefined {
    return requirementsOf(this.features, method, params);
  }

  /**
   * Serves one connection until it ends. Transports call it; `serveStdio` and `connect(server)` do so for you.
   * @throws McpUsageError after `close()`, TypeError for a tool or prompt whose schema cannot be used, and whatever `lifespan`
   * throws, before anything is served
   */
  accept(dispatcher: Dispatcher): Promise<void> {
    return this.#connections.accept(dispatcher);
  }

  /**
   * Begins to serve before there is a connection: opens the lifespan, and lets extensions begin, such as `tasks()`, which then takes over
   * what another process has left. `serveHttp` does so when it listens; elsewhere the first connection does. Idempotent.
   * @throws as {@link accept}
   */
  begin(): Promise<void> {
    return this.#connections.begin();
  }

  /** Ends all connections, open `listen` streams with their graceful end, and disposes of the lifespan. Idempotent. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
