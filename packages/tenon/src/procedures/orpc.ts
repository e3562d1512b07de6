/**
 * `orpc()`: the procedures of an oRPC router, of versions 1 and 2.
 *
 * `@orpc/server` runs a procedure with its middleware and its validation; it is loaded at the first call.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { describeIssues, type AnySchema, type InferInput, type InferOutput, type SchemaIssue } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";
import type { ArgumentsOf, DataOf, NodeAt, PathsOf, Procedure, ProcedureFailure, ProcedureSource } from "./procedure.ts";

/** Options of {@link orpc}. */
export interface OrpcOptions {
  /**
   * Makes the initial context of one call from the caller of the tool. Default: an empty object. Security: the router decides by it who calls.
   */
  readonly context?: (context: RequestContext) => MaybePromise<object>;
}

/** A procedure of oRPC, as far as its types are used. */
export interface TypedProcedure {
  /** Where oRPC keeps the schemas. */
  readonly "~orpc": {
    readonly inputSchema?: unknown;
    readonly outputSchema?: unknown;
    /** The schema of the input in version 2, for the compiler only. */
    readonly __TInputSchema?: unknown;
    /** The schema of the output in version 2, for the compiler only. */
    readonly __TOutputSchema?: unknown;
  };
}

/** The input that callers give. A procedure without an input schema takes anything; its tool takes no arguments. */
export type InputOf<Schema> = unknown extends InferInput<NonNullable<Schema>> ? undefined : InferInput<NonNullable<Schema>>;
/** The schema of a procedure, of either version. */
export type SchemaOf<Def, Member extends "inputSchema" | "outputSchema"> = Def extends {
  readonly [Key in `__T${Capitalize<Member>}`]?: { type: infer Schema };
}
  ? Schema
  : Def extends { readonly [Key in Member]?: infer Schema }
    ? Schema
    : never;
/** The types of the tool of a procedure. */
export type SignatureOf<Node> = Node extends { readonly "~orpc": infer Def }
  ? ToolSignature<ArgumentsOf<InputOf<SchemaOf<Def, "inputSchema">>>, DataOf<InferOutput<NonNullable<SchemaOf<Def, "outputSchema">>>>>
  : never;

/** The procedures of an oRPC router, by their paths. */
export type OrpcSignatures<Router> = { readonly [Path in PathsOf<Router, TypedProcedure>]: SignatureOf<NodeAt<Router, Path>> };

/** What oRPC keeps of a procedure. Version 2 has lists of schemas, each of which gets what the one before it returns. */
interface ProcedureDef {
  readonly inputSchema?: AnySchema;
  readonly inputSchemas?: readonly AnySchema[];
  readonly outputSchema?: AnySchema;
  readonly outputSchemas?: readonly AnySchema[];
  /** What a part has in version 2 that is loaded later. */
  readonly loader?: unknown;
  /** In version 2 it has the route as well, which `openapi()` of `@orpc/openapi` gives. */
  readonly meta?: { readonly "~openapi"?: Route };
  readonly route?: Route;
}

interface Route {
  readonly method?: string;
  readonly summary?: string;
  readonly description?: string;
}

/**
 * The procedures of an oRPC router, for {@link fromProcedures}. A procedure is chosen by `.meta({ mcp: true })`, or by the option `include`.
 * One whose route has the method GET only reads. Event iterators send their values as progress.
 */
export function orpc<const Router extends object>(router: Router, options: OrpcOptions = {}): ProcedureSource<OrpcSignatures<Router>> {
  const procedures: Procedure[] = [];
  const leftOut: { procedure: string; why: string }[] = [];
  const walk = (node: object, path: readonly string[]): void => {
    const def = (node as Partial<{ readonly "~orpc": ProcedureDef }>)["~orpc"];
    if (def?.loader !== undefined || Object.getOwnPropertySymbols(node).some(({ description }) => description === "ORPC_LAZY_SYMBOL"))
      return void leftOut.push({
        procedure: path.join("."),
        why: "it is loaded later: give orpc() the result of `await unlazyRouter(router)`",
      });
    if (def !== undefined) return void procedures.push(toProcedure(node, def, path, options));
    for (const [key, child] of Object.entries(node) as [string, unknown][])
      if (typeof child === "object" && child !== null) walk(child, [...path, key]);
  };
  walk(router, []);
  return { what: "the oRPC router", procedures, leftOut };
}

function toProcedure(procedure: object, def: ProcedureDef, path: readonly string[], options: OrpcOptions): Procedure {
  const {
    meta,
    route = meta?.["~openapi"],
    inputSchema,
    inputSchemas = inputSchema === undefined ? [] : [inputSchema],
    outputSchemas,
  } = def;
  const outputSchema = def.outputSchema ?? (outputSchemas?.length === 1 ? outputSchemas[0] : undefined); // of several, middleware decides which is last
  const isRead = ["GET", "HEAD"].includes(route?.method?.toUpperCase() ?? "");
  return {
    path: path.join("."),
    kind: isRead ? "query" : "mutation",
    meta,
    summary: route?.summary,
    description: route?.description,
    inputs: inputSchemas,
    // The schema of an event iterator describes a stream, and not the result.
    output: outputSchema !== undefined && isStream(outputSchema) ? undefined : outputSchema,
    call: async (input, context) => {
      const { call } = await import("@orpc/server");
      const settings = { context: (await options.context?.(context)) ?? {}, path, signal: context.signal };
      return call(procedure as Parameters<typeof call>[0], input as never, settings as never); // the router was made for them
    },
    failure: failureOf,
  };
}

function isStream(schema: AnySchema): boolean {
  const symbols = [schema, (schema as { readonly "~standard"?: object })["~standard"] ?? {}].flatMap((each) =>
    Object.getOwnPropertySymbols(each),
  );
  return symbols.some(({ description }) => /EVENT_ITERATOR|ASYNC_ITERATOR_OBJECT/.test(description ?? ""));
}

/** An error that the router's author threw as `ORPCError`; any other is masked. */
function failureOf(error: unknown): ProcedureFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, status, data, defined } = error as Error & JsonObject; // as oRPC makes it
  if (typeof code !== "string" || typeof defined !== "boolean") return undefined;
  if (code === "INTERNAL_SERVER_ERROR" && error.cause !== undefined) return undefined; // its output was wrong, or another error was wrapped
  const issues = isJsonObject(data) ? data["issues"] : undefined;
  const isInput = code === "BAD_REQUEST" && Array.isArray(issues);
  const message = isInput ? `Invalid arguments: ${describeIssues(issues as readonly SchemaIssue[])}` : error.message;
  return { code, message, ...(typeof status === "number" && { status }), ...(data !== undefined && !isInput && { data }) };
}
