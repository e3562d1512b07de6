/**
 * `fromOpenApi()`: an OpenAPI document as the tools of a server.
 *
 * The document is parsed and walked, and never dereferenced. Each operation becomes a tool, or the report says why not.
 */
import { reportTo } from "../base/report-to.ts";
import { assertKnown } from "../base/known-options.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { RequestContext } from "../session/request-context.ts";
import { sourceOf, type Feature, type FeatureChange, type FeatureKind, type FeatureSource } from "../server/features/feature-source.ts";
import { McpServer } from "../server/mcp-server.ts";
import type { ToolDefinition, ToolSet } from "../server/features/tool.ts";
import { OpenApiDocument } from "./document/document.ts";
import { OpenApiDocumentError, UnmappableError } from "./document/errors.ts";
import { MappedOperation } from "./call/mapped-operation.ts";
import { resourceOf, type MappedResource } from "./call/resource.ts";
import { assertName, namesOf } from "./schema/names.ts";
import { lineOf, operationsOf, type FoundOperation } from "./document/operation.ts";
import {
  isIncluded,
  OPENAPI_OPTIONS,
  withDefaults,
  type OpenApiOptions,
  type OpenApiSettings,
  type OpenApiReportEntry,
} from "./options.ts";
import { planOperation, type Planning } from "./plan-operation.ts";
import { schemesOf } from "./call/security.ts";
import type { SendOptions } from "./call/send.ts";
import { Servers } from "./document/servers.ts";
import { readDocument, urlIn } from "./read-document.ts";

/** An API as the tools of a server, and as a live set of features: a `FeatureSource`. */
export interface OpenApi extends FeatureSource {
  /** The name and the version that the document gives to the API. */
  readonly info: { readonly title: string; readonly version: string };
  /** The tools, for the option `tools` of `McpServer`. */
  readonly tools: ToolSet<unknown>;
  /** A server with these tools, and with the resources of the option `resources`. Serve it, or mount it in another one. */
  readonly server: McpServer;
  /** What became of each operation, in the order of the document. */
  readonly report: readonly OpenApiReportEntry[];
  /**
   * Sends the request of one operation, for tools that you write yourself.
   * @param operation the name of its tool, its `operationId`, or its method and path: `"GET /pets"`
   * @throws RangeError if there is no such operation; `ToolError` if the API refuses or cannot be reached
   */
  request(operation: string, args: JsonObject, context: RequestContext): Promise<CallToolResult>;
}

/**
 * Makes tools from an OpenAPI document of version 3.0, 3.1 or 3.2. Requests go to the document's first server or to `baseUrl`, to
 * public addresses only unless `baseUrl` or the URL of the document names another one, and never follow a redirect to another origin.
 *
 * Security: a document decides which requests the tools send and with which credentials. Use documents of APIs that you trust.
 * @param document the object, its text in JSON or YAML, or a URL to fetch it from
 * @throws OpenApiDocumentError if it is not such a document, or has no operations; LimitExceededError if it is too large; TypeError or RangeError if an
 * option is wrong
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { fromOpenApi } from "tenon/openapi";
 * import { McpServer } from "tenon/server";
 *
 * const api = await fromOpenApi(`
 * openapi: 3.1.0
 * info: { title: Pets, version: "1" }
 * servers: [{ url: "https://pets.example.com/v1" }]
 * paths:
 *   /pets/{id}:
 *     get: { operationId: getPet, parameters: [{ name: id, in: path, required: true, schema: { type: string } }] }
 * `);
 * const server = new McpServer({ name: "pets", version: "1.0.0" }, { tools: api.tools });
 * await using client = await connect(server);
 * console.log((await client.listTools()).tools[0]?.name); // getPet
 * ```
 */
export async function fromOpenApi(document: object | string | URL, options: OpenApiOptions = {}): Promise<OpenApi> {
  assertKnown("fromOpenApi()", options, OPENAPI_OPTIONS);
  const settings = withDefaults(options);
  const read = await readDocument(document, settings);
  const known = schemesOf(read);
  const unknown = Object.keys(options.auth ?? {}).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`Option "auth": the document has no security scheme "${unknown}". It has: ${known.join(", ") || "none"}`);
  return new MappedApi(read, settings, urlIn(document));
}

/** What an operation became. */
interface Made {
  readonly mapped: MappedOperation;
  /** Undefined if it is a tool. */
  readonly resource: MappedResource | undefined;
}

class MappedApi implements OpenApi {
  readonly info: OpenApi["info"];
  readonly report: OpenApiReportEntry[] = [];
  readonly tools: ToolSet<unknown>;
  readonly #operations = new Map<string, MappedOperation>();
  readonly #resources: MappedResource[] = [];
  #server: McpServer | undefined;

  constructor(document: OpenApiDocument, options: OpenApiSettings, fetchedFrom: URL | undefined) {
    this.info = document.info;
    const servers = new Servers(document, options, fetchedFrom);
    const planning: Planning = { document, options, servers, patterns: new Map() };
    const sending: SendOptions = { ...options, policy: servers.policy };
    const found = operationsOf(document);
    if (found.length === 0) throw nothingToServe(document);
    const names = namesOf(found.map(({ operation }) => operation));
    const tools = new Map<string, ToolDefinition<unknown, unknown, unknown>>();
    for (const each of found) {
      const name = options.name?.(each.operation) ?? names.get(each.operation)!;
      const made = this.#map(each, name, planning, sending);
      if (made === undefined) continue;
      const { mapped, resource } = made;
      if (tools.has(name))
        throw new TypeError(`Option "name" gives the name ${name} to two operations; the second is ${lineOf(each.operation)}`);
      if (resource === undefined) tools.set(name, toTool(mapped));
      else this.#resources.push(resource);
      for (const key of [lineOf(each.operation), each.operation.operationId, name])
        if (key !== undefined) this.#operations.set(key, mapped);
    }
    this.tools = Object.fromEntries(tools);
    if (tools.size + this.#resources.length === 0) reportTo(options.onError ?? toStderr, noTools(this.report));
  }

  get server(): McpServer {
    if (this.#server === undefined) {
      this.#server = new McpServer({ name: this.info.title, version: this.info.version }, { tools: this.tools });
      for (const resource of this.#resources) resource.addTo(this.#server);
    }
    return this.#server;
  }

  entries(kind: FeatureKind): Iterable<Feature> {
    return sourceOf(this.server).entries(kind);
  }

  find(kind: FeatureKind, id: string): Feature | undefined {
    return sourceOf(this.server).find(kind, id);
  }

  onFeatureChange(listener: (change: FeatureChange) => void): () => void {
    return sourceOf(this.server).onFeatureChange(listener);
  }

  /** Maps one operation and adds its entry to the report. */
  #map(found: FoundOperation, name: string, planning: Planning, sending: SendOptions): Made | undefined {
    const { operation } = found;
    const { options } = planning;
    const line = lineOf(operation);
    const skip = (why: string): undefined => void this.report.push({ operation: line, status: "skipped", why });
    if (found.why !== undefined) return skip(found.why);
    if (!isIncluded(operation, options.include)) return skip('option "include" leaves it out');
    if (operation.deprecated && options.deprecated !== true) return skip('it is deprecated (option "deprecated")');
    assertName(name, line);
    try {
      const { plan, isReduced, notes } = planOperation(found, planning);
      const why = [
        ...(isReduced ? ['its schema is larger than option "maxSchemaBytes", so its deepest parts are left out'] : []),
        ...notes,
      ].join("; ");
      const mapped = new MappedOperation(plan, options, sending);
      const resource = options.resources === true ? resourceOf(mapped, name) : undefined;
      const made = resource === undefined ? { tool: name } : { resource: resource.uri };
      const status = resource !== undefined ? "resource" : isReduced ? "reduced" : "tool";
      this.report.push({ operation: line, ...made, status, ...(why !== "" && { why }) });
      return { mapped, resource };
    } catch (error) {
      if (error instanceof UnmappableError) return skip(error.message);
      throw error;
    }
  }

  async request(operation: string, args: JsonObject, context: RequestContext): Promise<CallToolResult> {
    const mapped = this.#operations.get(operation);
    if (mapped === undefined) throw new RangeError(`There is no operation ${JSON.stringify(operation)} among the tools of this API`);
    return mapped.call(args, context);
  }
}

function nothingToServe({ root }: OpenApiDocument): OpenApiDocumentError {
  const why = root["paths"] === undefined ? 'it has no "paths"' : 'there is no operation, such as "get", below its "paths"';
  return new OpenApiDocumentError(`The document describes nothing to serve: ${why}`);
}

function noTools(report: readonly OpenApiReportEntry[]): Error {
  const [first] = report;
  return new Error(
    `Not one operation of the document becomes a tool. The first, ${first?.operation ?? "of none"}: ${first?.why ?? "no reason"}`,
  );
}

/** A server without tools looks as if it worked, so the operator hears of it in any case. */
function toStderr({ message }: Error): void {
  // oxlint-disable-next-line no-console -- the operator must hear of it
  console.error(`tenon: fromOpenApi(): ${message}`);
}

function toTool(mapped: MappedOperation): ToolDefinition<unknown, unknown, unknown> {
  return { options: mapped.toolOptions(), handler: (args: never, context) => mapped.call(args, context) };
}
