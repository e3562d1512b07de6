/**
 * `hono()`: the routes of a Hono app, or of any app with a `fetch` and an OpenAPI document, in this process.
 *
 * The importer of `tenon/openapi` makes the tools. Its requests go to `app.fetch`: no port, no network, and all middleware of the app.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { parseDocument } from "../openapi/document/parse-document.ts";
import { fromOpenApi } from "../openapi/from-openapi.ts";
import { withDefaults, type OpenApiOptions } from "../openapi/options.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";
import type { ProcedureInfo, ProcedureSource, Procedure } from "./procedure.ts";

/** An app of Hono, Elysia or any other framework with such a `fetch`. */
export interface FetchApp {
  /** Answers a request. Hono reads `env` as its bindings. */
  fetch(request: Request, env?: never): MaybePromise<Response>;
}

/** How the requests of calls are made. */
export interface RouteOptions {
  /**
   * Headers of each request from the caller of the tool, such as its session: `(ctx) => ({ authorization: … })`. Default: none. Security: the
   * app decides by them who calls.
   */
  readonly headers?: (context: RequestContext) => MaybePromise<Readonly<Record<string, string>>>;
  /** The second argument of `fetch`: the bindings of a Hono app. Default: an empty object. */
  readonly env?: (context: RequestContext) => unknown;
  /** Options of the importer, such as `auth`, `flatten` and `output`. Default: the defaults of `fromOpenApi()`. */
  readonly openapi?: Omit<OpenApiOptions, "fetch" | "baseUrl" | "include" | "name" | "map" | "resources" | "documentUrl">;
}

/** Options of {@link hono}. */
export interface HonoOptions extends RouteOptions {
  /** The OpenAPI document, as an object or its text, or the path at which the app serves it. Default `"/openapi.json"`. */
  readonly document?: object | string;
}

/** Where the requests seem to go: nothing connects to it. */
const ORIGIN = "http://localhost";

/**
 * The routes of an app, for {@link fromProcedures}. A route is chosen by `"x-mcp": true` in its operation, or by the option `include` with its
 * `operationId`, or its method and path (`GET /posts`) if it has none.
 * @throws TypeError if the app has no document at that path; OpenApiDocumentError if it is not such a document
 */
export async function hono(app: FetchApp, options: HonoOptions = {}): Promise<ProcedureSource> {
  const { document = "/openapi.json", ...rest } = options;
  const read = typeof document === "string" && document.startsWith("/") ? await fetchDocument(app, document) : document;
  const parsed = typeof read === "string" ? await parseDocument(read, withDefaults(options.openapi ?? {}).limits) : read;
  return routesOf(app, isJsonObject(parsed) ? parsed : {}, rest, "the app");
}

/** @throws TypeError if the app has no document there */
async function fetchDocument(app: FetchApp, path: string): Promise<string> {
  const response = await app.fetch(new Request(`${ORIGIN}${path}`), {} as never); // an app without bindings
  if (response.ok) return response.text();
  throw new TypeError(`The app has no OpenAPI document at ${path} (status ${response.status}): give it, or its path, as option "document"`);
}

/** The operations of a document as procedures whose requests go to an app. */
export async function routesOf<Signatures = Readonly<Record<string, ToolSignature>>>(
  app: FetchApp,
  document: JsonObject,
  options: RouteOptions,
  what: string,
): Promise<ProcedureSource<Signatures>> {
  const infos = new Map<string, ProcedureInfo>();
  const api = await fromOpenApi(document, {
    ...options.openapi,
    auth: { ...callerAuth(document, options.headers), ...options.openapi?.auth },
    baseUrl: `${ORIGIN}${basePath(document)}`,
    map: (tool, { method, path, operationId, tags, summary, description }) => {
      const line = `${method} ${path}`;
      const kind = tool.annotations?.readOnlyHint === true ? "query" : "mutation";
      const meta = { method, path, tags, operationId, mcp: markOf(document, method, path) };
      infos.set(line, { path: operationId ?? line, kind, meta, summary, description });
      return tool;
    },
    fetch: (url, init, context) => fetchInProcess(app, url, { init, context, options }),
  });
  const procedures = api.report.flatMap(({ operation, tool }): Procedure[] =>
    tool === undefined ? [] : [{ ...infos.get(operation)!, ...REACHED_BY_TOOL, tool: api.tools[tool]!, toolName: tool }],
  );
  const leftOut = api.report.filter(({ tool }) => tool === undefined);
  return { what, procedures, leftOut: leftOut.map(({ operation, why = "it cannot become a tool" }) => ({ procedure: operation, why })) };
}

/** A procedure whose tool is made already has no other way in. */
const REACHED_BY_TOOL: Pick<Procedure, "inputs" | "output" | "call" | "failure"> = {
  inputs: [],
  output: undefined,
  call: () => undefined,
  failure: () => undefined,
};

interface Sending {
  readonly init: Parameters<NonNullable<OpenApiOptions["fetch"]>>[1];
  readonly context: RequestContext | undefined;
  readonly options: RouteOptions;
}

async function fetchInProcess(app: FetchApp, url: string, { init, context, options }: Sending): Promise<Response> {
  const { signal, headers, ...rest } = init;
  const own = context === undefined ? {} : await options.headers?.(context);
  const request = new Request(url, { ...(rest as RequestInit), headers: { ...headers, ...own }, signal: signal ?? null }); // `fetch` has these members
  return app.fetch(request, ((context && options.env?.(context)) ?? {}) as never); // the app's own bindings
}

/** The path of the document's first server: the app may be mounted below it. */
function basePath({ servers }: JsonObject): string {
  const first: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const url = isJsonObject(first) ? first["url"] : undefined;
  return typeof url === "string" && URL.canParse(url, ORIGIN) ? new URL(url, ORIGIN).pathname : "/";
}

/** The caller's own headers are the credential of every scheme of the document. */
function callerAuth({ components }: JsonObject, headers: RouteOptions["headers"]): NonNullable<OpenApiOptions["auth"]> {
  if (headers === undefined || !isJsonObject(components) || !isJsonObject(components["securitySchemes"])) return {};
  const credential = async (context: RequestContext) => ({ headers: await headers(context) });
  return Object.fromEntries(Object.keys(components["securitySchemes"]).map((scheme) => [scheme, credential]));
}

/** What an operation says about its tool: the extension `x-mcp`. */
function markOf({ paths }: JsonObject, method: string, path: string): unknown {
  const item = isJsonObject(paths) ? paths[path] : undefined;
  const operation = isJsonObject(item) ? item[method.toLowerCase()] : undefined;
  return isJsonObject(operation) ? operation["x-mcp"] : undefined;
}
