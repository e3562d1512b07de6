/**
 * Runs a request on a server, from the outside in: middleware in the order it was added, rounds with questions, scopes, the method table.
 *
 * `session/handle-request.ts` decodes a request, runs it through this chain, and encodes the result.
 */
import { isAbortFailure } from "../../base/abort.ts";
import { Late } from "../../base/late.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Clock } from "../../base/clock.ts";
import type { HttpRules, Pages } from "../../dispatch/acceptor.ts";
import type { LeakedHandlers } from "../../dispatch/dispatcher.ts";
import { requirementsOf } from "../features/requirements.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import { isCoreMethod, type HeaderNames } from "../../protocol/methods.ts";
import type { RoundMiddleware } from "../../session/asking/rounds/round-middleware.ts";
import type { ServerHost } from "../../session/extension.ts";
import type { RequestTarget } from "../../session/handle-request.ts";
import { OpenListens } from "../../session/open-listens.ts";
import { compose, onlyFor, type Handler, type Middleware } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Requirements } from "../../transport/transport-context.ts";
import type { Codec } from "../../wire/codec.ts";
import type { ClientReading } from "../../session/connection-reading.ts";
import { callTool } from "../features/call-tool.ts";
import type { Changes } from "./changes.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { DiscoverySettings } from "../discovery/options.ts";
import { complete } from "../features/completions.ts";
import { toMcpError, toToolFailure, type OnError } from "./failures.ts";
import type { Features } from "../features/features.ts";
import { discover, initialize, setLevel, type ServerDescription } from "./lifecycle.ts";
import type { ServerLifespan } from "./lifespan.ts";
import { callMethod } from "../features/methods.ts";
import { getPrompt, listPrompts } from "../features/prompts.ts";
import { listResources } from "../features/listed-resources.ts";
import { listTemplates, readResource, type ReadResource, type ResourceOptions } from "../features/resources.ts";
import { listen } from "./listen-streams.ts";
import type { Mount } from "../mounting/mount.ts";
import type { RootsChanges } from "./roots-changes.ts";
import { subscribe, unsubscribe } from "./subscriptions.ts";
import { listTools } from "../features/tools.ts";
import { READ_MORE } from "../../spill/names.ts";

export interface ServerParts {
  readonly server: ServerDescription;
  readonly features: Features;
  readonly changes: Changes;
  readonly rounds: RoundMiddleware;
  readonly lifespan: ServerLifespan<unknown> | undefined;
  readonly mounts: ReadonlySet<Mount>;
  readonly roots: Late<RootsChanges>;
  readonly clock: Clock;
  readonly onError: OnError;
  /** What happens to messages of clients that deviate. */
  readonly reading: ClientReading;
  readonly discovery: DiscoverySettings | undefined;
}

const CALLS: ReadonlySet<string> = new Set(["tools/call"]);
const OF_TOOLS: ReadonlySet<string> = new Set(["tools/list", "tools/call"]);

export class RequestChain implements RequestTarget, ServerHost, HttpRules {
  handler: Handler<RequestContext>;
  readonly info: Implementation;
  readonly clock: Clock;
  readonly leakedHandlers: LeakedHandlers = { running: 0, total: 0 };
  readonly strict: boolean;
  readonly pages: Pages | undefined;
  readonly listens: OpenListens = new OpenListens();
  readonly #parts: ServerParts;
  readonly #middleware: Middleware<RequestContext>[] = [];
  /** The methods that have middleware of their own: it serves them, if a layer above declares them. */
  readonly #wrapped = new Set<string>();
  readonly #methods: MethodTable;
  readonly #discovery: Late<Discovery> | undefined;
  #nested: Handler<RequestContext> | undefined;

  constructor(parts: ServerParts) {
    this.info = parts.server.info;
    this.clock = parts.clock;
    this.strict = parts.reading.strict === true;
    this.pages = parts.rounds.pages;
    this.#parts = parts;
    this.#methods = createMethodTable(parts);
    this.#discovery = parts.discovery && this.#lateDiscovery(parts.discovery);
    this.handler = this.#compose();
  }

  /** Adds middleware around every request or the requests of one method, inside earlier middleware. Takes effect at once. */
  use(middleware: Middleware<RequestContext>): void;
  use(method: string, middleware: Middleware<RequestContext>): void;
  use(first: string | Middleware<RequestContext>, second?: Middleware<RequestContext>): void {
    if (typeof first === "string") this.#wrapped.add(first);
    this.#middleware.push(typeof first === "string" ? onlyFor(new Set([first]), second!) : first);
    this.recompose();
  }

  /** Innermost, because middleware may have replaced the request that the edge checked. */
  readonly #enforceRequirements: Middleware<RequestContext> = (next) => (context) => {
    const { guard } = this.#parts.features;
    if (guard === undefined) return this.#runPermitted(context, next);
    return andThen(guard.get(), (loaded) => {
      loaded.meet(context);
      return this.#runPermitted(context, next);
    });
  };

  #runPermitted(context: RequestContext, next: Handler<RequestContext>): MaybePromise<JsonObject> {
    const { requirements } = context.transport;
    const required = requirements && requirementsOf(this.#parts.features, context.method, context.params, context);
    if (required !== undefined) requirements!.check(this.#withoutRepeated(context, required));
    return next(context);
  }

  /** The headers of a call of `call_tool` repeat no argument of the tool that it names. */
  #withoutRepeated(context: RequestContext, required: Requirements): Requirements {
    return this.#discovery?.loaded?.isUnwrapped(context) === true ? { scopes: required.scopes } : required;
  }

  /** Outermost, because middleware may declare a list as one for all callers. */
  readonly #keepPrivate: Middleware<RequestContext> = (next) => (context) =>
    andThen(next(context), (result) => this.#parts.features.guard?.loaded?.privately(context.method, result) ?? result);

  #compose(): Handler<RequestContext> {
    const { features, rounds } = this.#parts;
    const outermost = features.guard === undefined ? [] : [this.#keepPrivate];
    const discovery = this.#discovery;
    const outer = discovery ? [lateLayer(OF_TOOLS, discovery, (part) => part.outer)] : [];
    const inner = discovery ? [lateLayer(CALLS, discovery, (part) => part.inner)] : [];
    if (features.spills) outer.push(lateLayer(CALLS, this.#spill, (layer) => layer));
    return compose([...outermost, ...outer, ...this.#middleware, rounds.middleware, this.#enforceRequirements, ...inner], this.#runMethod);
  }

  readonly #spill: Late<Middleware<RequestContext>> = new Late(async () => {
    const { spillLayer } = await import("../features/spill-layer.ts");
    const { tools } = this.#parts.features;
    return spillLayer({
      toolOf: ({ params }) => tools.requested(params["name"] as string, params, undefined), // checked by the codec
      recover: (error, context) => this.recover(error, context),
    });
  });

  #lateDiscovery(settings: DiscoverySettings): Late<Discovery> {
    const { features, onError } = this.#parts;
    return new Late(async () => {
      const { Discovery: Made } = await import("../discovery/discovery.ts");
      const list: Handler<RequestContext> = (context) =>
        compose([...this.#middleware, this.#enforceRequirements], this.#runMethod)(context);
      return new Made(settings, {
        pageSize: features.tools.pageSize,
        list,
        isKept: (name) => features.spills && name === READ_MORE,
        hasTool: (name) => features.tools.find(name) !== undefined,
        onError: (error) => onError(error, { method: "discovery" }),
      });
    });
  }

  /** Composes the chain again, because middleware or the first rule of visibility was added. */
  recompose(): void {
    this.handler = this.#compose();
    this.#nested = undefined;
  }

  /** Runs a request that another server received: inside the middleware of this one, without rounds of its own. */
  nested(context: RequestContext): MaybePromise<JsonObject> {
    this.#nested ??= compose(this.#middleware, this.#runNested);
    return this.#past("sessions", context, this.#nested);
  }

  /** The server that received the request has made a task of it, if it is one, and has compared it with its headers. */
  readonly #runNested: Handler<RequestContext> = (context) => {
    const { features } = this.#parts;
    const { scopes = [] } = requirementsOf(features, context.method, context.params, context) ?? {};
    if (scopes.length > 0) context.transport.requirements?.check({ scopes });
    return context.method === "tools/call" ? callTool(features.tools, context, false) : this.#runMethod(context);
  };

  /** Runs a request without middleware and without rounds of its own. Its handler can still ask questions. */
  run(context: RequestContext): MaybePromise<JsonObject> {
    context.questionSource = this.#parts.rounds;
    return this.#past("rules", context, this.#enforceRequirements(this.#runMethod));
  }

  /** Runs a request that was decided upon already: by the server that received it, or when its task began. */
  #past(decided: "sessions" | "rules", context: RequestContext, next: Handler<RequestContext>): MaybePromise<JsonObject> {
    return andThen(this.#parts.features.guard?.get(), (guard) => {
      guard?.admit(context, decided);
      return next(context);
    });
  }

  /**
   * Runs the handler of a method: from the method table, else a custom method, else from the extensions. @throws McpError -32601 if a
   * declared capability has no handler
   */
  readonly #runMethod: Handler<RequestContext> = (context) => {
    const { embedded } = this.#parts.features;
    return embedded === undefined ? this.#runOwn(context) : embedded.handle(context, this.#runOwn);
  };

  readonly #runOwn: Handler<RequestContext> = (context) => {
    const { method, codec } = context;
    const core = this.#methods.get(method);
    if (core !== undefined) return core(context);
    const { methods, extensions } = this.#parts.features;
    const custom = methods.get(method);
    if (custom !== undefined) return callMethod(custom, context);
    const handler = extensions?.handlerOf(method, codec);
    if (handler === undefined) throw new McpError(ErrorCode.MethodNotFound, "Method not found", method);
    return handler(context);
  };

  // ---- what HTTP asks before a request runs ----

  get headerNames(): HeaderNames | undefined {
    return this.#parts.features.extensions?.headerNames;
  }

  requirementsOf(method: string, params: JsonObject): Requirements | undefined {
    return requirementsOf(this.#parts.features, method, params);
  }

  // ---- what extensions register ----

  resource(uri: string, options: ResourceOptions, read: (uri: string) => MaybePromise<JsonObject | undefined>): { remove(): void } {
    return this.#parts.features.resources.add(uri, options, read as ReadResource); // an extension makes whole results
  }

  resourceUpdated(uri: string): void {
    this.#parts.changes.publish({ kind: "resource", uri });
  }

  report(error: unknown, method: string): void {
    this.#parts.onError(error, { method });
  }

  // ---- around the handlers ----

  get lifespan(): unknown {
    return this.#parts.lifespan?.value;
  }

  has(method: string, codec: Codec): boolean {
    const { features } = this.#parts;
    if (features.extensions?.handlerOf(method, codec)) return true;
    if (features.embedded?.has(method) && (codec.hasRequest(method, "client") || !isCoreMethod(method))) return true;
    if (codec.hasRequest(method, "client"))
      return (features.served ?? features.listServed()).has(method) || (this.#wrapped.has(method) && features.isDeclaredAbove(method));
    return features.methods.get(method) !== undefined;
  }

  notified(method: string, params: JsonObject | undefined): void {
    this.#parts.features.embedded?.notified(method, params);
  }

  clean<T>(value: T, principal: string | undefined): T {
    return this.#parts.rounds.clean(value, principal);
  }

  recover(error: unknown, context: RequestContext): JsonObject | undefined {
    return context.method === "tools/call" ? toToolFailure(error, context, this.#parts.onError) : undefined;
  }

  /** What the client gets for a failure: the result, if the method has one for it. @throws McpError */
  failed(error: unknown, context: RequestContext): JsonObject {
    const recovered = this.recover(error, context);
    if (recovered === undefined) throw this.toMcpError(error, context.method, isAbortFailure(error, context.signal));
    return recovered;
  }

  toMcpError(error: unknown, method: string, cancelled = false): McpError {
    return toMcpError(error, { method, ...(cancelled && { cancelled }) }, this.#parts.onError);
  }
}

/** A layer of a part that is loaded with the first request that it is around. */
function lateLayer<Part>(
  methods: ReadonlySet<string>,
  part: Late<Part>,
  layerOf: (part: Part) => Middleware<RequestContext>,
): Middleware<RequestContext> {
  return onlyFor(methods, (next) => {
    let handler: Handler<RequestContext> | undefined;
    return (context) => andThen(part.get(), (loaded) => (handler ??= layerOf(loaded)(next))(context));
  });
}

type MethodTable = ReadonlyMap<string, Handler<RequestContext>>;

function createMethodTable({ server, features, changes }: ServerParts): MethodTable {
  const { tools, prompts } = features;
  return new Map<string, Handler<RequestContext>>([
    ["initialize", (context) => initialize(server, context)],
    ["server/discover", () => discover(server)],
    ["ping", () => ({})],
    ["logging/setLevel", setLevel],
    ["tools/list", (context) => listTools(tools, context)],
    ["tools/call", (context) => callTool(tools, context)],
    ["resources/list", (context) => listResources(features, context)],
    ["resources/templates/list", (context) => listTemplates(features, context)],
    ["resources/read", (context) => readResource(features, context)],
    ["resources/subscribe", (context) => subscribe(features, context)],
    ["resources/unsubscribe", unsubscribe],
    ["prompts/list", (context) => listPrompts(prompts, context)],
    ["prompts/get", (context) => getPrompt(prompts, context)],
    ["completion/complete", (context) => complete(features, context)],
    ["subscriptions/listen", (context) => listen(features, changes, context)],
  ]);
}
