/**
 * `trpc()`: the procedures of a tRPC router, of version 10 or 11.
 *
 * Nothing of tRPC is imported: a router makes its own caller, which runs its middleware and its validation.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { describeIssues, type AnySchema, type SchemaIssue } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";
import type { ArgumentsOf, Children, DataOf, NodeAt, PathsOf, Procedure, ProcedureFailure, ProcedureSource } from "./procedure.ts";

/** A router of tRPC, by the members that Tenon reads. Every router of version 10 and 11 is one. */
export interface TrpcRouter {
  /** The router's own description. */
  readonly _def: { readonly procedures: object; readonly record: object };
}

/** Options of {@link trpc}. */
export interface TrpcOptions {
  /**
   * Makes the context of one call from the caller of the tool: `(ctx) => createContext(ctx.auth)`. Default: an empty object. Security: the
   * router decides by it who calls.
   */
  readonly context?: (context: RequestContext) => MaybePromise<unknown>;
}

/** A procedure of version 11 or 10, as far as its types are used. */
export interface TypedProcedure {
  /** Where tRPC keeps the types of the input and the output. */
  readonly _def: { readonly $types: unknown } | { readonly _input_in: unknown };
}

/** The brand that tRPC 10 gives to an input or an output without a schema. */
export type Marker =
  | {
      /** What tRPC marks it with. */
      readonly _brand: "unset";
    }
  | symbol;
/** A type that the procedure declares; undefined without a schema. */
export type Known<T> = T extends Marker ? undefined : T;
/** The types of the tool of a procedure. */
export type SignatureOf<Node> = Node extends {
  readonly _def: { readonly $types: { readonly input: infer Input; readonly output: infer Output } };
}
  ? ToolSignature<ArgumentsOf<Input>, DataOf<Output>>
  : Node extends { readonly _def: { readonly _input_in: infer Input; readonly _output_out: infer Output } }
    ? ToolSignature<ArgumentsOf<Known<Input>>, DataOf<Known<Output>>>
    : never;

/** The procedures of a tRPC router, by their paths. */
export type TrpcSignatures<Router> = {
  readonly [Path in PathsOf<Children<Router>, TypedProcedure>]: SignatureOf<NodeAt<Children<Router>, Path>>;
};

/** What both versions keep of a procedure. */
interface ProcedureDef {
  readonly type?: Procedure["kind"];
  readonly query?: boolean;
  readonly subscription?: boolean;
  readonly inputs?: readonly AnySchema[];
  readonly output?: AnySchema;
  readonly meta?: unknown;
}

interface Caller {
  createCaller(context: unknown, options?: { readonly signal: AbortSignal }): unknown;
}

/**
 * The procedures of a tRPC router, for {@link fromProcedures}. A procedure is chosen by `.meta({ mcp: true })`, or by the option `include`;
 * `meta({ mcp: { title, description, annotations } })` describes its tool. Subscriptions send their values as progress.
 */
export function trpc<Router extends TrpcRouter>(router: Router, options: TrpcOptions = {}): ProcedureSource<TrpcSignatures<Router>> {
  const procedures = Object.entries(router._def.procedures as { readonly [path: string]: { readonly _def: ProcedureDef } }).map(
    // as tRPC keeps them
    ([path, { _def: def }]): Procedure => ({
      path,
      kind: def.type ?? (def.query === true ? "query" : def.subscription === true ? "subscription" : "mutation"),
      meta: def.meta,
      ...textsIn(def.meta),
      inputs: def.inputs ?? [],
      output: def.output,
      call: (input, context) => call(router as unknown as Caller, path, { input, context, options }), // every router makes callers
      failure: failureOf,
    }),
  );
  const lazy = Object.keys((router._def as { readonly lazy?: object }).lazy ?? {}); // version 11 keeps routers that are loaded late here
  const why = "it is loaded later: give trpc() a router that has it, by `router({ name: loadedRouter })`";
  return { what: "the tRPC router", procedures, leftOut: lazy.map((procedure) => ({ procedure, why })) };
}

function textsIn(meta: unknown): Pick<Procedure, "summary" | "description"> {
  if (!isJsonObject(meta)) return {};
  const texts = [meta, meta["openapi"]].filter(isJsonObject);
  const first = (name: string): string | undefined => texts.map((each) => each[name]).find((text) => typeof text === "string");
  return { summary: first("summary"), description: first("description") };
}

interface Call {
  readonly input: unknown;
  readonly context: RequestContext;
  readonly options: TrpcOptions;
}

async function call(router: Caller, path: string, { input, context, options }: Call): Promise<unknown> {
  const caller = router.createCaller((await options.context?.(context)) ?? {}, { signal: context.signal });
  const procedure = path.split(".").reduce<unknown>((at, key) => (at as { readonly [key: string]: unknown })[key], caller); // a proxy of the router
  return (procedure as (input: unknown) => unknown)(input);
}

/** The codes of tRPC that have a status of their own. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["PARSE_ERROR", 400],
  ["BAD_REQUEST", 400],
  ["UNAUTHORIZED", 401],
  ["PAYMENT_REQUIRED", 402],
  ["FORBIDDEN", 403],
  ["NOT_FOUND", 404],
  ["METHOD_NOT_SUPPORTED", 405],
  ["TIMEOUT", 408],
  ["CONFLICT", 409],
  ["PRECONDITION_FAILED", 412],
  ["PAYLOAD_TOO_LARGE", 413],
  ["UNSUPPORTED_MEDIA_TYPE", 415],
  ["UNPROCESSABLE_CONTENT", 422],
  ["TOO_MANY_REQUESTS", 429],
  ["CLIENT_CLOSED_REQUEST", 499],
  ["INTERNAL_SERVER_ERROR", 500],
  ["NOT_IMPLEMENTED", 501],
  ["BAD_GATEWAY", 502],
  ["SERVICE_UNAVAILABLE", 503],
  ["GATEWAY_TIMEOUT", 504],
]);

/** An error that the router's author threw as `TRPCError`; one that only passed through is masked. */
function failureOf(error: unknown): ProcedureFailure | undefined {
  if (!(error instanceof Error) || error.name !== "TRPCError") return undefined;
  const { code, cause } = error as Error & JsonObject; // as tRPC makes it
  if (typeof code !== "string" || (code === "INTERNAL_SERVER_ERROR" && isForeign(error, cause))) return undefined;
  const issues = isJsonObject(cause) || cause instanceof Error ? (cause as JsonObject)["issues"] : undefined;
  const message = Array.isArray(issues) ? `Invalid arguments: ${describeIssues(issues as readonly SchemaIssue[])}` : error.message;
  return { code, message, status: STATUS.get(code) };
}

/** Whether tRPC wrapped an error of another class: its text is not meant for callers. Version 10 has the cause in a hidden member. */
function isForeign(error: Error, cause: unknown): boolean {
  return cause !== undefined && cause !== null && (cause as Error).message === error.message;
}
