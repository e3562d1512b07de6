/** What a server offers: everything that is registered, and the capabilities that follow from it. */
import { withPresets } from "../../base/number-options.ts";
import { UriTemplate } from "../../base/uri-template/uri-template.ts";
import { Late } from "../../base/late.ts";
import { andThen } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import { METHODS } from "../../protocol/methods.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { withLayer, type EmbeddedHandlers } from "./embedded.ts";
import type { FeatureKind } from "../../session/feature-filter.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Extension, ServerExtensions, ServerHost } from "../../session/extension.ts";
import { SEARCH_NAMES } from "../../search/search-options.ts";
import type { Change, ListKind } from "./change.ts";
import type { Guard, GuardedDefinition, LateGuard } from "../guard.ts";
import { assertNotOfExtensions, defineMethod, METHOD_OPTIONS, type ServedMethod } from "./methods.ts";
import type { Feature, FeatureForwarder } from "./feature-source.ts";
import { definePrompt, PROMPT_OPTIONS, type ServedPrompt } from "./prompts.ts";
import { Registry, type Definition, type Registered, type RegistryOptions } from "./registry.ts";
import {
  defineResource,
  defineTemplate,
  RESOURCE_OPTIONS,
  TEMPLATE_OPTIONS,
  type ResourceTemplateOptions,
  type ServedResource,
  type ServedTemplate,
} from "./resources.ts";
import { assertInvalidArguments } from "./tool-error.ts";
import { assertTask, defineTool, TOOL_OPTIONS, type ServedTool, type ToolOptions } from "./tools.ts";
import { UncompiledSchemas } from "./uncompiled-schemas.ts";
import { registerReading } from "./spilling.ts";
import { READ_MORE } from "../../spill/names.ts";
import { SERVER_NUMBERS, type McpServerOptions, type MethodScopes } from "../options.ts";
import { spillSettings, type ToolSpill } from "../../spill/options.ts";
import { versionOf } from "./versions.ts";

export interface FeaturesOptions extends Pick<
  McpServerOptions,
  "pageSize" | "maxContentBlocks" | "invalidArguments" | "logging" | "capabilities" | "scopes" | "discovery" | "spill"
> {
  readonly validator: JsonSchemaValidator;
  /** Called after each change, with the list that clients see if there is one. */
  changed(change: Change | undefined): void;
  loadGuard(): Promise<Guard>;
  /** Called once, when the first rule of visibility is there. */
  guarded(): void;
  /** Called once, when the first tool is there whose results spill. */
  spills(): void;
  /** Called with a failure of a call that its caller does not see. */
  report(error: unknown): void;
}

function isGuarded({ options, mountRule }: GuardedDefinition): boolean {
  return options.visible !== undefined || options.hidden === true || mountRule !== undefined;
}

export class Features {
  readonly tools: Registry<ServedTool>;
  readonly resources: Registry<ServedResource>;
  readonly templates: Registry<ServedTemplate>;
  readonly prompts: Registry<ServedPrompt>;
  /** Methods that neither the specification nor an extension in use has. */
  readonly methods: Registry<ServedMethod>;
  readonly scopes: MethodScopes | undefined;
  /** Schemas to compile before the server serves. */
  readonly uncompiled: UncompiledSchemas = new UncompiledSchemas();
  readonly #options: FeaturesOptions & { readonly pageSize: number };
  /** Decides who sees what; undefined while there is no rule. */
  guard: LateGuard | undefined;
  /** Whether there was ever a tool whose results spill. */
  spills = false;
  /** All extensions in use, combined. */
  extensions: ServerExtensions | undefined;
  /** The core methods whose capabilities the server has; undefined until {@link listServed} computes them. */
  served: ReadonlySet<string> | undefined;
  #capabilities: ServerCapabilities | undefined;
  /** Serves requests beside what is registered; undefined unless a layer is above this server. */
  embedded: EmbeddedHandlers | undefined;

  /** @throws RangeError if `pageSize` or `maxContentBlocks` is below 1, or `invalidArguments` is neither `"result"` nor `"error"` */
  constructor(options: FeaturesOptions) {
    const { validator, invalidArguments = "result" } = options;
    assertInvalidArguments(invalidArguments);
    const { pageSize, maxContentBlocks } = withPresets(SERVER_NUMBERS, options);
    this.#options = { ...options, pageSize };
    this.scopes = options.scopes;
    this.tools = this.#createRegistry("tools", "tool", "tool", TOOL_OPTIONS, (name, given, handler) => {
      if (options.discovery !== undefined && SEARCH_NAMES.has(name)) throw ownNameError("discovery", name);
      if (this.spills && name === READ_MORE) throw ownNameError("spill", name);
      const own = options.spill === undefined ? given : { spill: options.spill, ...given };
      const dependencies = { validator, extensions: this.extensions, maxContentBlocks, invalidArguments };
      return { ...defineTool(name, { options: own, handler }, dependencies), spill: this.#spillOf(own) };
    });
    this.resources = this.#createRegistry("resources", "resource", "resource", RESOURCE_OPTIONS, defineResource);
    this.templates = this.#createRegistry("resources", "template", "resource template", TEMPLATE_OPTIONS, defineTemplate);
    this.prompts = this.#createRegistry("prompts", "prompt", "prompt", PROMPT_OPTIONS, (name, own, handler) =>
      definePrompt(name, { options: own, handler }, validator),
    );
    this.methods = this.#createRegistry(undefined, undefined, "method", METHOD_OPTIONS, (name, own, handler) =>
      defineMethod(name, { options: own, handler }, validator),
    );
  }

  #createRegistry<D extends Definition>(
    list: ListKind | undefined,
    kind: FeatureKind | undefined,
    what: string,
    keys: RegistryOptions<D>["keys"],
    define: RegistryOptions<D>["define"],
  ): Registry<D> {
    const registry: Registry<D> = new Registry({
      what,
      kind,
      keys,
      pageSize: this.#options.pageSize,
      define: (key, options, handler) => {
        const definition = define(key, options, handler);
        this.uncompiled.add({ what, key, registry, definition });
        if (kind !== undefined && isGuarded(definition)) this.protect();
        return definition;
      },
      onChange: (key, ...definitions) => {
        this.#forget();
        if (list === undefined || this.guard === undefined) return this.#options.changed(list && { kind: list });
        void andThen(this.guard.get(), (guard) =>
          this.#options.changed({ kind: list, concerns: [(caller) => guard.concerns(kind!, key, definitions, caller)] }),
        );
      },
    });
    return registry;
  }

  /** Adds a feature of a mount under a name. @throws McpUsageError if the name is taken; TypeError as the registration of such a tool */
  adopt(feature: Feature, key: string, mount: FeatureForwarder): { replace(now: Feature): void; remove(): void } {
    const registry: Registry<Definition> = this.#registryOf(feature.kind);
    const define = (now: Feature): Definition => {
      const definition = this.#mounted(now, key, mount);
      if (isGuarded(definition)) this.protect();
      return definition;
    };
    const entry = registry.adopt(key, define(feature));
    return { replace: (now) => registry.replace(entry, define(now)), remove: () => registry.remove(entry) };
  }

  /** Why a feature cannot be registered under a name; undefined if it can. */
  conflict({ kind, options }: Feature, key: string): string | undefined {
    return this.#registryOf(kind).conflict(key, versionOf(kind, options));
  }

  #registryOf(kind: FeatureKind): Registry<Definition> {
    return { tool: this.tools, resource: this.resources, template: this.templates, prompt: this.prompts }[kind];
  }

  #mounted(feature: Feature, key: string, mount: FeatureForwarder): Definition {
    const { kind, options, listed } = feature;
    const shared = {
      options,
      handler: () => undefined,
      mountRule: mount.options.visible,
      forward: (context: RequestContext) => mount.run(feature, context),
    };
    if (kind === "tool") return this.#mountedTool(shared, feature, key);
    if (kind === "template") {
      const template = new UriTemplate(key);
      return {
        ...shared,
        options: mount.templateOptions(options as ResourceTemplateOptions),
        listed: { ...listed, uriTemplate: key },
        template,
      } as Definition;
    }
    return { ...shared, listed: { ...listed, [kind === "resource" ? "uri" : "name"]: key } };
  }

  #mountedTool(shared: Definition, { options, listed }: Feature, key: string): Definition {
    const { ui: _, ...own } = options as ToolOptions; // its view is a resource of the source, which is mounted too
    const extension = this.extensions?.tool(key, own);
    const { execution: _execution, ...item } = listed;
    assertTask(key, own, extension);
    return {
      ...shared,
      listed: { ...item, name: key, ...extension?.listed },
      extension,
      requirements: { scopes: options.scopes ?? [], inputSchema: listed["inputSchema"] as JsonObject },
      spill: this.#spillOf(own),
    } as Definition;
  }

  /** How the results of a tool spill. The first that do bring the tool that reads on. @throws as `spillSettings`; McpUsageError if its name is taken */
  #spillOf({ spill }: ToolOptions): ToolSpill | undefined {
    const settings = spillSettings(spill, this.#options.spill);
    if (settings === undefined) return undefined;
    if (!this.spills) {
      if (this.tools.keys.includes(READ_MORE)) throw ownNameError("spill", READ_MORE);
      registerReading(this);
      this.spills = true;
      this.#options.spills();
    }
    return { settings, report: (error) => this.#options.report(error) };
  }

  /** Registers a feature of the server itself, which no rule hides and servers that mount this one do not get. */
  registerOwn(kind: "tool" | "template", name: string, options: object, handler: ServedTool["handler"]): void {
    const { validator } = this.#options;
    const dependencies = { validator, extensions: undefined, maxContentBlocks: Infinity, invalidArguments: "result" as const };
    if (kind === "tool") this.tools.adopt(name, { ...defineTool(name, { options, handler }, dependencies), own: true });
    else this.templates.adopt(name, { ...defineTemplate(name, options, handler as ServedTemplate["handler"]), own: true });
  }

  /** Loads what decides who sees what: from now on requests wait for it. Idempotent. */
  protect(): void {
    if (this.guard !== undefined) return;
    this.guard = new Late(() => this.#options.loadGuard());
    for (const registry of [this.tools, this.resources, this.templates, this.prompts]) registry.guard = this.guard;
    this.#options.guarded();
    Promise.resolve(this.guard.get()).catch(() => undefined); // the next request tries again, and fails with the reason
  }

  /**
   * Adds a custom method. @throws RangeError if the name is invalid; TypeError if it belongs to the specification or an extension in use, or
   * is registered already, or if a schema cannot be used
   */
  addMethod(name: string, options: ServedMethod["options"], handler: ServedMethod["handler"]): Registered<ServedMethod["options"]> {
    assertNotOfExtensions([name], this.extensions);
    if (this.methods.keys.includes(name)) throw new TypeError(`The method "${name}" is registered already`);
    return this.methods.add(name, options, handler);
  }

  /** Adds an extension to those in use. @throws TypeError if it is not one, or has a method that is registered as a custom one */
  extend(extension: Extension, host: ServerHost): void {
    if (typeof (extension as Partial<Extension> | null | undefined)?.serve !== "function")
      throw new TypeError("A server uses middleware, which is a function, and extensions, such as tasks()");
    const extensions = extension.serve(host, this.extensions);
    assertNotOfExtensions(this.methods.keys, extensions);
    this.extensions = extensions;
    this.#forget();
  }

  #forget(): void {
    this.#capabilities = undefined;
    this.served = undefined;
  }

  /** The declared capabilities, the ones derived from what is registered, and the capabilities of a layer above this server. */
  get capabilities(): ServerCapabilities {
    return this.embedded === undefined ? this.#own : withLayer(this.#own, this.embedded.capabilities);
  }

  get #own(): ServerCapabilities {
    return (this.#capabilities ??= this.#deriveCapabilities());
  }

  #deriveCapabilities(): ServerCapabilities {
    const { tools, resources, templates, prompts } = this;
    const { logging = true, capabilities = {} } = this.#options;
    // A declaration adds to the derived capabilities. It can name a feature that has nothing registered yet.
    const declared = this.extensions?.declare(capabilities) ?? capabilities;
    const listed = { listChanged: true };
    const completes = [...templates.entries, ...prompts.entries].some(({ definition }) => definition.options.complete);
    return {
      ...declared,
      ...(tools.used && { tools: { ...listed, ...declared.tools } }),
      ...((resources.used || templates.used) && { resources: { subscribe: true, ...listed, ...declared.resources } }),
      ...(prompts.used && { prompts: { ...listed, ...declared.prompts } }),
      ...(completes && { completions: declared.completions ?? {} }),
      ...(logging && { logging: declared.logging ?? {} }),
    };
  }

  /** Whether a layer above this server declares what a core method needs. */
  isDeclaredAbove(method: string): boolean {
    return this.embedded !== undefined && isDeclared(NEEDED.get(method), this.embedded.capabilities);
  }

  listServed(): ReadonlySet<string> {
    const capabilities = this.#own;
    return (this.served ??= new Set([...NEEDED.keys()].filter((method) => isDeclared(NEEDED.get(method), capabilities))));
  }
}

function ownNameError(option: string, name: string): McpUsageError {
  return new McpUsageError(`With the option "${option}" the server has a tool "${name}" of its own: give this one another name`);
}

/** The capability that each method needs, as a path in the capabilities. The newest revision decides: its row is the last of the table. */
const NEEDED: ReadonlyMap<string, string | undefined> = new Map(METHODS.map(({ method, capability }) => [method, capability]));

function isDeclared(capability: string | undefined, capabilities: ServerCapabilities): boolean {
  let have: unknown = capabilities;
  for (const name of capability?.split(".") ?? []) have = (have as JsonObject | undefined)?.[name]; // each level is optional
  return have !== undefined;
}
