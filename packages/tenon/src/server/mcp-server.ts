/**
 * `McpServer`: the definition of a server.
 *
 * It has what users call. What edges, mounts and layers call stands in `server-core.ts`, under a symbol, so that an editor offers only
 * the former.
 */
import { assertKnown } from "../base/known-options.ts";
import type { TemplateVariableNames } from "../base/uri-template/uri-template.ts";
import { SERVED, type Acceptor } from "../dispatch/acceptor.ts";
import type { Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import type { RequestMethod } from "../protocol/messages.ts";
import type { AnySchema, WholeSchemas } from "../schema/standard-schema.ts";
import type { Extension } from "../session/extension.ts";
import type { FittingMiddleware, MethodMiddleware, Middleware } from "../session/handler.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { NoTools, TypedServer } from "../session/tools/typed-tools.ts";
import type { FeatureSource, Mountable, ServerRule } from "./features/feature-source.ts";
import type { CustomMethodHandler, CustomMethodOptions } from "./features/methods.ts";
import type { PromptHandler, PromptOptions } from "./features/prompts.ts";
import type { Registered } from "./features/registry.ts";
import type { ReadResource, ReadTemplate, ResourceOptions, ResourceTemplateOptions } from "./features/resources.ts";
import type { ToolSet } from "./features/tool.ts";
import type { ToolHandler, ToolOptions } from "./features/tools.ts";
import type { Mount, MountOptions } from "./mounting/mount.ts";
import type { MountSet, NoMounts, ServedSignatures } from "./mounting/mounted-tools.ts";
import { assertInfo, SERVER_OPTIONS, type McpServerOptions } from "./options.ts";
import { ServerCore } from "./server-core.ts";
import type { RootsListener } from "./serving/roots-changes.ts";

/** What edges, mounts and layers above a server use: `acceptorOf(server)` of `tenon` and `sourceOf(server)` of `tenon/server` return it. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging, eslint/no-unused-vars -- a class cannot declare a symbol of another file; its constructor sets it
export interface McpServer<Lifespan, Offered extends ToolSet<Lifespan>, Mounted extends MountSet> {
  /** What serves its connections and gives its features to others. */
  readonly [SERVED]: Acceptor & FeatureSource;
}

/**
 * A server: its tools, resources, prompts and middleware. Serve it with `serveStdio`, `serveHttp`, `createFetchHandler` or `toNodeHandler`, or `connect()` to it. One server serves any number of connections, revisions and transports at the same time.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer } from "tenon/server";
 * import * as z from "zod";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);
 * await using client = await connect(server);
 * console.log((await client.callTool("add", { a: 1, b: 2 })).text); // 3
 * ```
 */
export class McpServer<
  Lifespan = undefined,
  Offered extends ToolSet<Lifespan> = NoTools,
  Mounted extends MountSet = NoMounts,
> implements TypedServer<ServedSignatures<Offered, Mounted>> {
  /** The name and version that clients get. */
  readonly info: Implementation;
  /** For the compiler only: the tools of the options `tools` and `mounts`. */
  declare readonly "~tools"?: ServedSignatures<Offered, Mounted>;
  readonly #core: ServerCore;

  /**
   * Makes a server. Nothing is opened or served yet.
   * @throws RangeError if a limit, a key, a prefix or the name of a tool is invalid; TypeError if `info` has no name or no version, or if a schema
   * cannot be used; McpUsageError if a tool needs an extension that is missing, or if names of mounts collide
   */
  constructor(info: Implementation, options: McpServerOptions<Lifespan, Offered, Mounted> = {}) {
    assertInfo(info);
    assertKnown("new McpServer()", options, SERVER_OPTIONS);
    this.info = info;
    this.#core = new ServerCore(info, options);
    Object.defineProperty(this, SERVED, { value: this.#core });
    for (const extension of options.extensions ?? []) this.use(extension);
    for (const [name, { options: own, handler }] of Object.entries(options.tools ?? {})) this.#core.features.tools.add(name, own, handler);
    for (const [prefix, source] of Object.entries(options.mounts ?? {})) this.mount(prefix, source);
  }

  // ---- registering ----

  /**
   * Offers a tool. This is the way to add one; the option `tools` with `tool()` is for `client.call`, which knows their types.
   * @throws McpUsageError if the name is in use, RangeError if the name is invalid, TypeError if a schema cannot be used
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   * import * as z from "zod";
   *
   * const server = new McpServer({ name: "weather", version: "1.0.0" });
   * const input = z.object({ city: z.string() });
   * const output = z.object({ degrees: z.number() });
   * server.tool("forecast", { description: "Tomorrow's weather", input, output }, ({ city }) => ({ degrees: city.length }));
   * await using client = await connect(server);
   * console.log((await client.callTool("forecast", { city: "Rome" })).data); // { degrees: 4 }
   * ```
   */
  tool<const Input extends AnySchema | undefined = undefined, const Output extends AnySchema | undefined = undefined>(
    name: string,
    options: ToolOptions<Input, Output> & WholeSchemas<{ input: Input; output: Output }>,
    handler: ToolHandler<Input, Output, Lifespan>,
  ): Registered<ToolOptions> {
    return this.#core.features.tools.add(name, options, handler);
  }

  /**
   * Offers one resource under a fixed URI. @throws McpUsageError if the URI is in use, TypeError if it is not absolute
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "notes", version: "1.0.0" });
   * server.resource("note://today", { mimeType: "text/plain" }, () => "Buy milk");
   * await using client = await connect(server);
   * console.log((await client.readResource("note://today")).contents.length); // 1
   * ```
   */
  resource(uri: string, options: ResourceOptions, read: ReadResource<Lifespan>): Registered<ResourceOptions> {
    return this.#core.features.resources.add(uri, options, read);
  }

  /**
   * Offers a family of resources by a URI template (RFC 6570). @throws McpUsageError if the template is in use, TypeError if it is invalid
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "notes", version: "1.0.0" });
   * const notes = new Map([["1", "Buy milk"]]);
   * server.resourceTemplate("note://{id}", { complete: { id: () => [...notes.keys()] } }, ({ id }) => notes.get(id));
   * await using client = await connect(server);
   * const [note] = (await client.readResource("note://1")).contents;
   * console.log(note && "text" in note && note.text); // Buy milk
   * ```
   */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    options: ResourceTemplateOptions<TemplateVariableNames<Template>, Lifespan>,
    read: ReadTemplate<Template, Lifespan>,
  ): Registered<ResourceTemplateOptions> {
    return this.#core.features.templates.add(uriTemplate, options, read);
  }

  /**
   * Offers a prompt. @throws McpUsageError if the name is in use, TypeError if a schema cannot be used
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   * import * as z from "zod";
   *
   * const server = new McpServer({ name: "prompts", version: "1.0.0" });
   * server.prompt("greet", { input: z.object({ name: z.string() }) }, ({ name }) => `Greet ${name} warmly.`);
   * await using client = await connect(server);
   * console.log((await client.getPrompt("greet", { name: "Ada" })).messages.length); // 1
   * ```
   */
  prompt<const Input extends AnySchema | undefined = undefined>(
    name: string,
    options: PromptOptions<Input> & WholeSchemas<{ input: Input }>,
    handler: PromptHandler<Input, Lifespan>,
  ): Registered<PromptOptions> {
    return this.#core.features.prompts.add(name, options, handler);
  }

  /**
   * Serves a custom method: a request that neither the specification nor an extension has. It runs inside the middleware, and
   * `client.request(name, params, { result })` calls it. For a feature with capabilities or several methods use `defineExtension`.
   * @throws RangeError if the name is invalid; TypeError if it belongs to the specification or to an extension in use, or is
   * registered already, or if a schema cannot be used
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   * import * as z from "zod";
   *
   * const Price = z.object({ cents: z.number() });
   * const server = new McpServer({ name: "shop", version: "1.0.0" });
   * server.method("shop/price", { params: z.object({ item: z.string() }), result: Price }, ({ item }) => ({ cents: item.length }));
   * await using client = await connect(server);
   * console.log((await client.request("shop/price", { item: "tea" }, { result: Price })).cents); // 3
   * ```
   */
  method<const Params extends AnySchema | undefined = undefined, const Result extends AnySchema | undefined = undefined>(
    name: string,
    options: CustomMethodOptions<Params, Result> & WholeSchemas<{ params: Params; result: Result }>,
    handler: CustomMethodHandler<Params, Result, Lifespan>,
  ): Registered<CustomMethodOptions> {
    return this.#core.features.addMethod(name, options, handler);
  }

  /**
   * Adds middleware around every request, or adds an extension. The first middleware is outermost. Takes effect at once. Add an extension before the tools that use it.
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "sums", version: "1.0.0" });
   * server.tool("secret", {}, () => "x");
   * server.use("tools/list", (next) => async (ctx) => {
   *   const result = await next(ctx);
   *   return { ...result, tools: result.tools.filter((tool) => tool.name !== "secret") };
   * });
   * await using client = await connect(server);
   * console.log((await client.listTools()).tools.length); // 0
   * ```
   */
  use(added: Middleware<RequestContext<Lifespan>> | Extension): this;
  /** Wraps the requests of one method, inside earlier middleware; params and results are the method's. */
  use<M extends RequestMethod>(method: M, middleware: MethodMiddleware<M, RequestContext<Lifespan>>): this;
  /** Wraps the requests of any method, such as one of an extension. */
  use<const M extends string, Layer extends Middleware<RequestContext<Lifespan>>>(
    method: M,
    middleware: Layer & FittingMiddleware<M, Layer>,
  ): this;
  use(first: string | Middleware<RequestContext<Lifespan>> | Extension, second?: unknown): this {
    const { chain } = this.#core;
    // Contexts of this server carry its lifespan; the chain does not know its type.
    if (typeof first === "string") chain.use(first, second as Middleware<RequestContext>);
    else if (typeof first === "function") chain.use(first as Middleware<RequestContext>);
    else this.#core.extend(first);
    return this;
  }

  /** Notifies the clients that watch a resource that it has changed. */
  resourceUpdated(uri: string | URL): void {
    this.#core.resourceUpdated(String(uri));
  }

  /**
   * Tells all clients that a list changed, on every transport. Registering and removing does so by itself: this is for lists that
   * handlers make, such as `list` of a resource template or middleware for `"tools/list"`. Calls within 50 ms are sent as one.
   */
  listChanged(list: "tools" | "prompts" | "resources"): void {
    this.#core.listChanged(list);
  }

  // ---- mounting ----

  /**
   * Serves the features of another server, a group or another source under a prefix: a tool `log` becomes `git__log`. They follow the
   * source while it changes. The option `mounts` does the same, and callers know the types of the tools. The middleware and the lifespan of a mounted server run for its features; its connections are its own.
   * @param prefix 1 to 32 letters, digits, `-` and single `_`
   * @throws McpUsageError if a name is in use, or if the source is this server or has mounted it; RangeError if the prefix is invalid
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const git = new McpServer({ name: "git", version: "1.0.0" });
   * git.tool("log", {}, () => "one commit");
   * const server = new McpServer({ name: "office", version: "1.0.0" });
   * server.mount("git", git);
   * await using client = await connect(server);
   * console.log((await client.callTool("git__log")).text); // one commit
   * ```
   */
  mount(prefix: string, source: Mountable, options: MountOptions = {}): Mount {
    return this.#core.mounts.add(prefix, source, options);
  }

  // ---- visibility ----

  /**
   * Sets the rule that decides who sees which of all features, besides the `visible` of each. A feature that a caller may not see does
   * not exist for the caller: it is neither listed nor served, and its name is unknown. The rule must return at once. If it throws, the
   * feature is not visible and `onError` is called.
   * @throws McpUsageError if the server has a rule already
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * const server = new McpServer({ name: "shop", version: "1.0.0" });
   * server.tool("search", {}, () => "found");
   * server.tool("delete_all", { tags: ["admin"] }, () => "deleted");
   * server.visible((caller, { options }) => !options.tags?.includes("admin") || caller.principal === "ada");
   * await using client = await connect(server);
   * console.log((await client.listTools()).tools.map(({ name }) => name).join()); // search
   * ```
   */
  visible(rule: ServerRule): this {
    this.#core.visible(rule);
    return this;
  }

  /**
   * Says that what rules of visibility depend on has changed, such as the rights of a user. Clients whose lists are other than before are
   * notified.
   * @param principal whose rights have changed. Default: all clients
   */
  visibilityChanged(principal?: string): void {
    this.#core.visibilityChanged(principal);
  }

  // ---- roots ----

  /**
   * Calls `listener` when a client of a stateful revision says that its roots have changed, with the session of that client: `session.listRoots()`
   * asks for them. The next change of a session waits until the listeners have ended. What a listener throws is reported to `onError`. Servers that
   * mount this one pass changes on. Returns a function that removes the listener.
   * @throws TypeError if the listener is no function
   */
  onRootsChanged(listener: RootsListener): () => void {
    if (typeof listener !== "function") throw new TypeError("server.onRootsChanged() needs a function of the session");
    const own: RootsListener = (session) => listener(session); // the same function may be added twice
    this.#core.rootsListeners.add(own);
    return () => void this.#core.rootsListeners.delete(own);
  }

  // ---- serving ----

  /** The capabilities of this server, derived from what is registered. */
  get capabilities(): ServerCapabilities {
    return this.#core.features.capabilities;
  }

  /**
   * Begins to serve before the first connection: opens the lifespan and starts extensions, such as `tasks()`, which takes over tasks of
   * ended processes. `serveHttp` calls it when it listens; on other transports the first connection does. Idempotent.
   * @throws McpUsageError after `close()`, TypeError if the schema of a tool or prompt cannot be used, and whatever `lifespan` throws
   */
  begin(): Promise<void> {
    return this.#core.begin();
  }

  /** Closes all connections, ends open `listen` streams in order, and disposes of the lifespan. Idempotent. */
  close(): Promise<void> {
    return this.#core.close();
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#core.close("await using");
  }
}
