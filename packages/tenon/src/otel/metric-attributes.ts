/** Makes the attributes of one point, and keeps each set: a series has the same object every time, so that a point costs no allocation. */
import type { Attributes } from "@opentelemetry/api";
import { workerHost } from "../base/worker-host.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { destinationAttributes, NETWORK_TRANSPORT, type Destination } from "./attributes.ts";
import type { Failure } from "./outcome.ts";

export interface Measured extends Destination {
  readonly method: string;
  readonly params: JsonObject;
  readonly protocolVersion: string;
  readonly transport: string | undefined;
}

/** The most sets that are kept; further ones are made for each point. */
const MAX_SETS = 2_000;

export class MetricAttributes {
  readonly #sets = new Map<string, Attributes>();
  readonly #withUri: boolean;
  readonly #methods: Labels;
  readonly #tools: Labels;
  readonly #prompts: Labels;
  readonly #uris: Labels;
  readonly #errors: Labels;
  readonly #servers: Labels;

  constructor({ maxNames, resourceUri }: { readonly maxNames: number; readonly resourceUri: boolean }) {
    this.#withUri = resourceUri;
    this.#methods = new Labels(maxNames);
    this.#tools = new Labels(maxNames);
    this.#prompts = new Labels(maxNames);
    this.#uris = new Labels(maxNames);
    this.#errors = new Labels(maxNames);
    this.#servers = new Labels(maxNames);
  }

  /** Lets the names that a list has count. */
  learnList(method: string, result: JsonObject): void {
    const [table, items] = method === "tools/list" ? [this.#tools, result["tools"]] : [this.#prompts, result["prompts"]];
    if ((method !== "tools/list" && method !== "prompts/list") || !Array.isArray(items)) return;
    for (const item of items as { name?: unknown }[]) table.learn(item?.name);
  }

  /** The attributes of a request that has ended. `exists`: a result shows that there is such a tool, prompt or resource. */
  ofRequest(request: Measured, failure: Failure | undefined, exists: boolean): Attributes {
    const { method, params, protocolVersion, transport } = request;
    this.#methods.learn(method);
    const [key, name] = this.#subject(method, params, exists);
    const type = failure && this.#errorType(failure.type);
    const destination = this.#destination(request);
    const { endpoint, server = "" } = destination;
    const where = [protocolVersion, transport ?? "", server, endpoint?.address ?? "", endpoint?.port ?? ""];
    const id = [method, name ?? "", ...where, type ?? "", failure?.code ?? ""].join("\n");
    return this.#kept(id, () => ({
      "mcp.method.name": this.#methods.of(method),
      ...(method === "tools/call" && { "gen_ai.operation.name": "execute_tool" }),
      ...(key !== undefined && name !== undefined && { [key]: name }),
      ...(type !== undefined && { "error.type": type }),
      ...(failure?.code !== undefined && { "rpc.response.status_code": String(failure.code) }),
      ...carrier(protocolVersion, transport),
      ...destinationAttributes(destination),
    }));
  }

  ofSession({ protocolVersion, transport, ...to }: Omit<Measured, "params" | "method">): Attributes {
    const destination = this.#destination(to);
    const { endpoint, server = "" } = destination;
    const id = ["", protocolVersion, transport ?? "", server, endpoint?.address ?? "", endpoint?.port ?? ""].join("\n");
    return this.#kept(id, () => ({ ...carrier(protocolVersion, transport), ...destinationAttributes(destination) }));
  }

  /** The attributes of the runs of a tool's tasks. A tool that runs exists. */
  ofTask(tool: string, status: string | undefined): Attributes {
    this.#tools.learn(tool);
    const name = this.#tools.of(tool);
    const ended = status !== undefined && { "tenon.task.status": status };
    return this.#kept(`task\n${name}\n${status ?? ""}`, () => ({ "gen_ai.tool.name": name, ...ended }));
  }

  ofLimit(limit: string): Attributes {
    this.#errors.learn(limit);
    return { "tenon.limit": this.#errors.of(limit), ...worker() };
  }

  /** Servers come and go in a group, and each is a series: more than the limit are counted together, without their addresses. */
  #destination({ endpoint, server }: Destination): Destination {
    const name = server ?? endpoint?.address;
    if (name === undefined) return {};
    this.#servers.learn(name);
    if (this.#servers.of(name) === name) return { endpoint, server };
    return { server: server === undefined ? undefined : this.#servers.of(name) };
  }

  #subject(method: string, { name, uri }: JsonObject, exists: boolean): readonly [key?: string, name?: string | undefined] {
    if (method === "tools/call") return ["gen_ai.tool.name", label(this.#tools, name, exists)];
    if (method === "prompts/get") return ["gen_ai.prompt.name", label(this.#prompts, name, exists)];
    return this.#withUri && method === "resources/read" ? ["mcp.resource.uri", label(this.#uris, uri, exists)] : [];
  }

  #errorType(type: string): string {
    this.#errors.learn(type);
    return this.#errors.of(type);
  }

  #kept(id: string, make: () => Attributes): Attributes {
    const attributes = this.#sets.get(id);
    if (attributes !== undefined) return attributes;
    const made = { ...make(), ...worker() };
    if (this.#sets.size < MAX_SETS) this.#sets.set(id, made);
    return made;
  }
}

/** Workers of one program may export under one name: each has its own series, and the program is their sum. */
function worker(): Attributes {
  const host = workerHost();
  return host === undefined ? {} : { "tenon.worker": host.number };
}

function label(labels: Labels, name: unknown, exists: boolean): string | undefined {
  if (typeof name !== "string") return undefined;
  if (exists) labels.learn(name);
  return labels.of(name);
}

function carrier(protocolVersion: string, transport: string | undefined): Attributes {
  const network = transport === undefined ? undefined : NETWORK_TRANSPORT.get(transport);
  return {
    "mcp.protocol.version": protocolVersion,
    ...(network !== undefined && { "network.transport": network }),
    ...(network === "tcp" && { "network.protocol.name": "http" }),
  };
}

/** What stands in place of a name that does not count. The semantic conventions use it in the same way. */
const OTHER = "_OTHER";
/** The most characters of a name. */
const MAX_LENGTH = 128;

/**
 * Names as values of attributes. Each new value is a series that a backend keeps, and names come from a peer. So a name counts only if
 * something has shown that it exists, and only until the table is full.
 */
class Labels {
  readonly #max: number;
  readonly #known = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Lets a name count, if there is room. */
  learn(name: unknown): void {
    if (typeof name === "string" && this.#known.size < this.#max) this.#known.add(name.slice(0, MAX_LENGTH));
  }

  /** The name, or `_OTHER`. */
  of(name: string): string {
    const label = name.slice(0, MAX_LENGTH);
    return this.#known.has(label) ? label : OTHER;
  }
}
