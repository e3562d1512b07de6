/**
 * `tsRest()`: the routes of a ts-rest contract, served in this process by one of ts-rest's own handlers.
 *
 * The contract becomes an OpenAPI document, and the importer of `tenon/openapi` makes the tools. Nothing of ts-rest is imported.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { AnySchema, InferInput, InferOutput } from "../schema/standard-schema.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";
import { routesOf, type RouteOptions } from "./hono.ts";
import type { DataOf, Json, JsonInput, NodeAt, PathsOf, ProcedureSource } from "./procedure.ts";
import { jsonSchemaOf, type ToJsonSchema } from "./schemas.ts";

/** Options of {@link tsRest}. */
export interface TsRestOptions extends RouteOptions {
  /** Makes the JSON Schema of a schema that has no converter, such as one of zod 3. Default: such a part takes any value, and such a query is the argument `query`. */
  readonly toJsonSchema?: ToJsonSchema;
}

/** A route of a contract, as far as its types are used. */
export interface TypedRoute {
  /** The method of HTTP. */
  readonly method: string;
  /** Its path, with variables: `/posts/:id`. */
  readonly path: string;
  /** The schemas of what it responds with, by status. */
  readonly responses: object;
}

/** The variables of a path: `/posts/:id`. */
export type Variables<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & Variables<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : unknown;
/** What a part of a route takes. */
export type InputIn<Route, Part extends string> = Route extends { readonly [Key in Part]: infer Schema extends object }
  ? unknown extends InferInput<Schema>
    ? unknown
    : JsonInput<InferInput<Schema>>
  : unknown;
/** The body that a route takes. */
export type BodyOf<Route> = Route extends { readonly body: infer Schema extends object }
  ? unknown extends InferInput<Schema>
    ? { readonly body?: unknown }
    : { readonly body: JsonInput<InferInput<Schema>> }
  : unknown;
/** The variables of the path of a route. */
export type ParametersOf<Route> = Route extends { readonly pathParams: object }
  ? InputIn<Route, "pathParams">
  : Route extends { readonly path: infer Path }
    ? Variables<Path>
    : unknown;
/** The statuses of which a result is made. */
export type Success = 200 | 201 | 202 | 203 | 206;
/** What a route responds with. */
export type OutputsOf<Responses> = {
  [Status in keyof Responses & Success]: Responses[Status] extends object ? InferOutput<Responses[Status]> : unknown;
}[keyof Responses & Success];
/** The types of the tool of a route. */
export type SignatureOf<Route> = Route extends TypedRoute
  ? ToolSignature<ParametersOf<Route> & InputIn<Route, "query"> & BodyOf<Route>, DataOf<Json<OutputsOf<Route["responses"]>>>>
  : never;

/** The routes of a ts-rest contract, by their paths in it. */
export type TsRestSignatures<Contract> = { readonly [Path in PathsOf<Contract, TypedRoute>]: SignatureOf<NodeAt<Contract, Path>> };

/** @internal What ts-rest keeps of a route. */
export interface ContractRoute {
  readonly method: string;
  readonly path: string;
  readonly pathParams?: AnySchema | null;
  readonly query?: AnySchema | null;
  readonly body?: AnySchema | symbol | null;
  readonly contentType?: string;
  readonly responses: Readonly<Record<string, AnySchema | symbol | null>>;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly metadata?: unknown;
}

/**
 * The routes of a ts-rest contract, for {@link fromProcedures}. A route is chosen by `metadata: { mcp: true }`, or by the option `include` with
 * its path in the contract: `posts.get`. Its tool takes the variables of the path, the members of the query, and `body`.
 * @param handler serves the contract: `createFetchHandler(contract, router)` of `@ts-rest/serverless/fetch`
 */
export function tsRest<Contract extends object>(
  contract: Contract,
  handler: (request: Request) => MaybePromise<Response>,
  { toJsonSchema, ...options }: TsRestOptions = {},
): Promise<ProcedureSource<TsRestSignatures<Contract>>> {
  return routesOf({ fetch: (request) => handler(request) }, documentOf(contract, toJsonSchema), options, "the ts-rest contract");
}

function documentOf(contract: object, custom: ToJsonSchema | undefined): JsonObject {
  const paths: Record<string, JsonObject> = {};
  const walk = (node: object, at: readonly string[]): void => {
    if (isRoute(node)) {
      const path = node.path.replace(/:([A-Za-z0-9_]+)/g, "{$1}");
      const operation = operationOf(node, at.join("."), custom);
      paths[path] = { ...paths[path], [node.method.toLowerCase()]: operation };
      return;
    }
    for (const [key, child] of Object.entries(node) as [string, unknown][])
      if (typeof child === "object" && child !== null) walk(child, [...at, key]);
  };
  walk(contract, []);
  return { openapi: "3.1.0", info: { title: "contract", version: "1.0.0" }, paths };
}

function isRoute(node: object): node is ContractRoute {
  return "method" in node && "path" in node && "responses" in node && typeof node.path === "string";
}

function operationOf(route: ContractRoute, operationId: string, custom: ToJsonSchema | undefined): JsonObject {
  const { pathParams, query, body, contentType = "application/json", responses, summary, description, deprecated, metadata } = route;
  const content = (type: string, schema: unknown, io: "input" | "output", id: string): JsonObject => ({
    [type]: { schema: alone(toSchema(schema, io, custom), `${operationId} ${id}`) },
  });
  const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const inPath = toParameters(toSchema(pathParams, "input", custom), "path", operationId);
  const inQuery = toParameters(toSchema(query, "input", custom), "query", operationId);
  return {
    ...{ operationId, summary, description, deprecated, "x-mcp": isJsonObject(metadata) ? metadata["mcp"] : undefined },
    parameters: [...inPath, ...(inQuery.length === 0 && isPart(query) ? [OPEN_QUERY] : inQuery)],
    ...(isPart(body) && { requestBody: { required: true, content: content(contentType, body, "input", "body") } }),
    responses: Object.fromEntries(
      success.map(([status, schema]) => [status, { description: status, content: content("application/json", schema, "output", status) }]),
    ),
  };
}

/** A schema with an identity of its own: what it refers to is in it, and not in the document. */
function alone(schema: JsonObject, id: string): JsonObject {
  return { ...schema, $id: encodeURIComponent(id) };
}

/** Whether a contract has a part: by a schema, or by a type alone, which is a symbol. */
function isPart(part: unknown): boolean {
  return (typeof part === "object" && part !== null) || (typeof part === "symbol" && part.description !== "ContractNoBody");
}

/** A query whose members are not known: one object, whose members are written one by one. */
const OPEN_QUERY = { name: "query", in: "query", schema: { type: "object", additionalProperties: true } };

/** The JSON Schema of a part of a route; any value if it has none that is known. */
function toSchema(schema: unknown, io: "input" | "output", custom: ToJsonSchema | undefined): JsonObject {
  if (typeof schema !== "object" || schema === null) return {};
  try {
    return jsonSchemaOf(schema as AnySchema, io, custom); // a contract has schemas there, or types without a value
  } catch {
    return {};
  }
}

/** A variable of the path that is not declared here is a text. */
function toParameters({ properties, required, $defs }: JsonObject, place: "path" | "query", operationId: string): JsonObject[] {
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, own]) => {
    const schema = isJsonObject(own) ? alone({ ...own, ...($defs !== undefined && { $defs }) }, `${operationId} ${place} ${name}`) : own;
    return { name, in: place, required: isRequired(name), schema };
  });
}
