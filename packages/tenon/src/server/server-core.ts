/**
 * What serves an `McpServer`, and gives its features to others: the part of a server that edges, mounts and layers above it use, and that
 * users do not call.
 *
 * An `McpServer` keeps it under a symbol. The state of one connection is in `Connection`. Requests run through `serving/request-chain.ts`.
 */
import { Late } from "../base/late.ts";
import { systemClock } from "../base/clock.ts";
import type { Acceptor, HttpRules, SharedServing } from "../dispatch/acceptor.ts";
import type { ClosedBy } from "../dispatch/closed-server.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { RoundMiddleware } from "../session/asking/rounds/round-middleware.ts";
import type { Extension } from "../session/extension.ts";
import { discoverySettings } from "./discovery/options.ts";
import { Changes } from "./serving/changes.ts";
import { Connections } from "./serving/connections.ts";
import { McpUsageError } from "../jsonrpc/mcp-error.ts";
import { contain, logToConsole, type OnError } from "./serving/failures.ts";
import type { Feature, FeatureChange, FeatureKind, FeatureSource, ServerRule } from "./features/feature-source.ts";
import type { EmbeddedHandlers } from "./features/embedded.ts";
import { Features } from "./features/features.ts";
import { ServerLifespan } from "./serving/lifespan.ts";
import type { McpServerOptions } from "./options.ts";
import { Mounts } from "./mounting/mounts.ts";
import { OwnFeatures } from "./mounting/own-features.ts";
import type { ServerSession } from "../session/server-session.ts";
import type { RootsChanges, RootsListener } from "./serving/roots-changes.ts";
import { RequestChain, type ServerParts } from "./serving/request-chain.ts";

const KIND_OF = { tools: "tool", prompts: "prompt", resources: "resource" } as const;

/** The options as the core reads them: of tools and mounts it needs no types. */
type CoreOptions = Omit<McpServerOptions<unknown>, "lifespan"> & { readonly lifespan?: () => unknown };

export class ServerCore implements Acceptor, FeatureSource {
  readonly info: Implementation;
  readonly features: Features;
  readonly chain: RequestChain;
  readonly http: HttpRules;
  readonly mounts: Mounts;
  readonly rootsListeners: Set<RootsListener> = new Set();
  readonly #connections: Connections;
  readonly #own: OwnFeatures;
  readonly #roots: Late<RootsChanges>;
  #rule: ServerRule | undefined;

  /** @throws as `new McpServer()` */
  constructor(info: Implementation, options: CoreOptions) {
    const { instructions, logging, clock = systemClock, validator = defaultJsonSchemaValidator, lifespan } = options;
    const onError = contain(options.onError ?? logToConsole);
    this.info = info;
    this.features = this.#createFeatures(options, onError);
    this.mounts = new Mounts(
      this,
      (error) => this.chain.report(error, "mount"),
      (middleware) => this.chain.use(middleware),
    );
    const parts: ServerParts = {
      server: { info, facts: () => ({ capabilities: this.features.capabilities, ...(instructions !== undefined && { instructions }) }) },
      features: this.features,
      changes: new Changes(clock),
      rounds: new RoundMiddleware(
        options.requestState,
        {
          audience: info.name,
          validator,
          clock,
          warn: (warning) => onError(warning, { method: "requestState" }),
          failed: (error, context) => this.chain.failed(error, context),
        },
        options.pages,
      ),
      lifespan: lifespan && new ServerLifespan(lifespan),
      mounts: this.mounts.all,
      roots: (this.#roots = new Late(async () => {
        const { RootsChanges } = await import("./serving/roots-changes.ts");
        return new RootsChanges(this.rootsListeners, this.mounts.all, onError);
      })),
      clock,
      onError,
      reading: options,
      discovery: options.discovery && discoverySettings(options.discovery),
    };
    this.chain = new RequestChain(parts);
    this.http = this.chain;
    this.#connections = new Connections(parts, this.chain, logging);
    this.#own = new OwnFeatures({ features: this.features, chain: this.chain, rule: () => this.#rule });
  }

  #createFeatures(options: CoreOptions, onError: OnError): Features {
    const { clock = systemClock, validator = defaultJsonSchemaValidator } = options;
    return new Features({
      ...options,
      validator,
      // A set of tools that is empty, such as one of a document, is listed as empty.
      ...(options.tools && { capabilities: { tools: {}, ...options.capabilities } }),
      changed: (change) => this.#connections.changed(change),
      guarded: () => {
        this.chain.recompose();
        this.#own.refresh();
      },
      spills: () => this.chain.recompose(),
      report: (error) => onError(error, { method: "tools/call" }),
      loadGuard: async () => {
        const { Visibility } = await import("./visibility/visibility.ts");
        return new Visibility({ clock, onError, rule: () => this.#rule, own: this.#own });
      },
    });
  }

  // ---- what `McpServer` passes on ----

  extend(extension: Extension): void {
    this.features.extend(extension, this.chain);
    if (this.#connections.serving) this.features.extensions?.begin();
  }

  resourceUpdated(uri: string): void {
    this.#connections.changed({ kind: "resource", uri });
    this.#own.announce({ kind: "resource", uri });
  }

  listChanged(list: keyof typeof KIND_OF): void {
    this.#connections.changed({ kind: list });
    this.#own.announce({ kind: KIND_OF[list] });
  }

  /** @throws McpUsageError if the server has a rule already */
  visible(rule: ServerRule): void {
    if (this.#rule !== undefined) throw new McpUsageError("This server has a rule already: server.visible() takes one, for all features");
    this.#rule = rule;
    this.features.protect();
    this.#own.refresh();
    this.visibilityChanged();
  }

  visibilityChanged(principal?: string): void {
    this.#connections.visibilityChanged(principal === undefined ? undefined : (caller) => caller.principal === principal);
  }

  // ---- as a source of features: for mounts and for functions of `tenon/compose` ----

  entries(kind: FeatureKind): readonly Feature[] {
    return this.#own.entries(kind);
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    return this.#own.find(kind, id);
  }

  open(): Promise<() => Promise<void>> {
    return this.#connections.openFor({});
  }

  onFeatureChange(listener: (change: FeatureChange) => void): () => void {
    return this.#own.onChange(listener);
  }

  async rootsChanged(session: ServerSession): Promise<void> {
    await (await this.#roots.get()).tell(session);
  }

  // ---- as the server below a layer ----

  /** Serves what a layer above this server serves, beside what is registered. @throws McpUsageError if there is such a layer */
  embed(handlers: EmbeddedHandlers): void {
    if (this.features.embedded !== undefined) throw new McpUsageError("This server is below a layer already");
    this.features.embedded = handlers;
  }

  // ---- serving ----

  get shared(): SharedServing {
    return this.#connections;
  }

  /**
   * Serves one connection until it ends.
   * @throws McpUsageError after `close()`, TypeError if the schema of a tool or prompt cannot be used, and whatever `lifespan` throws.
   * Nothing is served then.
   */
  accept(dispatcher: Dispatcher): Promise<void> {
    return this.#connections.accept(dispatcher);
  }

  begin(): Promise<void> {
    return this.#connections.begin();
  }

  close(by?: ClosedBy): Promise<void> {
    return this.#connections.close(by);
  }
}
