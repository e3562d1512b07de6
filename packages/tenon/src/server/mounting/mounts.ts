/** The mounts of one server: checks and adds them. `mount.ts` is one of them. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { Middleware } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { sourceOf, type FeatureSource, type Mountable } from "../features/feature-source.ts";
import { Mount, type MountingServer, type MountOptions } from "./mount.ts";

/** The mounts of each server, so that a server finds itself among what another one serves. */
const mountsOf = new WeakMap<FeatureSource, Mounts>();

export class Mounts {
  /** Those that have not ended. */
  readonly all: Set<Mount> = new Set();
  readonly #server: MountingServer;
  readonly #report: (error: unknown) => void;
  readonly #use: (middleware: Middleware<RequestContext>) => void;
  #refreshes = false;

  /** @param use adds middleware around every request */
  constructor(server: MountingServer, report: (error: unknown) => void, use: (middleware: Middleware<RequestContext>) => void) {
    this.#server = server;
    this.#report = report;
    this.#use = use;
    mountsOf.set(server, this);
  }

  /** @throws as `McpServer.mount` */
  add(prefix: string, given: Mountable, options: MountOptions): Mount {
    // A program without types may pass anything.
    const source = sourceOf(Object(given));
    if (typeof prefix !== "string" || typeof source.entries !== "function")
      throw new TypeError('A mount has a prefix and a source of features, such as a server: mount("git", git)');
    if (this.#isPartOf(source)) throw new McpUsageError(`Mount "${prefix}": a server cannot mount itself, or one that has mounted it`);
    const mount = new Mount(prefix, given, options, this.#server, this.#report);
    this.all.add(mount);
    if (source.refresh !== undefined && !this.#refreshes) {
      this.#refreshes = true;
      this.#use(this.#refreshing);
    }
    return mount;
  }

  /** Lets the sources read again what they cannot hear of, before a list and before a refusal. */
  readonly #refreshing: Middleware<RequestContext> = (next) => async (context) => {
    const before = this.#reasonFor(context);
    if (before !== undefined) await Promise.all([...this.all].flatMap(({ features }) => features.refresh?.(before) ?? []));
    return next(context);
  };

  #reasonFor({ method, params }: RequestContext): "list" | "refusal" | undefined {
    if (method.endsWith("/list")) return "list";
    const { tools, prompts, resources } = this.#server.features;
    const registry = { "tools/call": tools, "prompts/get": prompts, "resources/read": resources }[method];
    return registry !== undefined && registry.find(String(params["name"] ?? params["uri"])) === undefined ? "refusal" : undefined;
  }

  #isPartOf(source: FeatureSource): boolean {
    if (source === this.#server || (source.source !== undefined && this.#isPartOf(source.source))) return true;
    return [...(mountsOf.get(source)?.all ?? [])].some((mount) => this.#isPartOf(mount.features));
  }
}
