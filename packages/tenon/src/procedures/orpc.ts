/**
 * `orpc()`: the procedures of an oRPC router, of version 1.
 *
 * `@orpc/server` runs a procedure with its middleware and its validation; it is loaded at the first call.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { describeIssues, type AnySchema, type InferInput, type InferOutput, type SchemaIssue } from "../schema/standard-schema.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/typed-tools.ts";
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
    /** The schema of the input. */
    readonly inputSchema?: unknown;
    /** The schema of the output. */
    readonly outputSchema?: unknown;
  };
}

/** The input that callers give. A procedure without an input schema takes anything; its tool takes no arguments. */
export type InputOf<Schema> = unknown extends InferInput<NonNullable<Schema>> ? undefined : InferInput<NonNullable<Schema>>;
/** The types of the tool of a procedure. */
export type SignatureOf<Node> = Node extends { readonly "~orpc": infer Def }
  ? ToolSignature<
      ArgumentsOf<InputOf<Def extends { readonly inputSchema?: infer Schema } ? Schema : never>>,
      DataOf<InferOutput<NonNullable<Def extends { readonly outputSchema?: infer Schema } ? Schema : never>>>
    >
  : never;

/** The procedures of an oRPC router, by their paths. */
export type OrpcSignatures<Router> = { readonly [Path in PathsOf<Router, TypedProcedure>]: SignatureOf<NodeAt<Router, Path>> };

/** What oRPC keeps of a procedure. */
interface ProcedureDef {
  readonly inputSchema?: AnySchema;
  readonly outputSchema?: AnySchema;
  readonly meta?: unknown;
  readonly route?: { readonly method?: string; readonly summary?: string; readonly description?: string };
}

/**
 * The procedures of an oRPC router, for {@link fromProcedures}. A procedure is chosen by `.meta({ mcp: true })`, or by the option `include`.
 * One whose route has the method GET only reads. Event iterators send their values as progress.
 */
export function orpc<const Router extends object>(router: Router, options: OrpcOptions = {}): ProcedureSource<OrpcSignatures<Router>> {
  const procedures: Procedure[] = [];
  const leftOut: { procedure: string; why: string }[] = [];
  const walk = (node: object, path: readonly string[]): void => {
    if (Object.getOwnPropertySymbols(node).some(({ description }) => description === "ORPC_LAZY_SYMBOL"))
      return void leftOut.push({
        procedure: path.join("."),
        why: "it is loaded later: give orpc() the result of `await unlazyRouter(router)`",
      });
    const def = (node as Partial<{ readonly "~orpc": ProcedureDef }>)["~orpc"];
    if (def !== undefined) return void procedures.push(toProcedure(node, def, path, options));
    for (const [key, child] of Object.entries(node) as [string, unknown][])
      if (typeof child === "object" && child !== null) walk(child, [...path, key]);
  };
  walk(router, []);
  return { what: "the oRPC router", procedures, leftOut };
}

function toProcedure(procedure: object, def: ProcedureDef, path: readonly string[], options: OrpcOptions): Procedure {
  const { route, meta, inputSchema, outputSchema } = def;
  const isRead = ["GET", "HEAD"].includes(route?.method?.toUpperCase() ?? "");
  return {
    path: path.join("."),
    kind: isRead ? "query" : "mutation",
    meta,
    summary: route?.summary,
    description: route?.description,
    inputs: inputSchema === undefined ? [] : [inputSchema],
    // The schema of an event iterator describes a stream, and not the result.
    output: outputSchema !== undefined && isStream(outputSchema) ? undefined : outputSchema,
    call: async (input, context) => {
      const { call } = await import("@orpc/server");
      const given = { context: (await options.context?.(context)) ?? {}, path, signal: context.signal };
      return call(procedure as Parameters<typeof call>[0], input as never, given as never); // the router was made for them
    },
    failure: failureOf,
  };
}

function isStream(schema: AnySchema): boolean {
  return Object.getOwnPropertySymbols(schema).some(({ description }) => description?.includes("EVENT_ITERATOR") === true);
}

/** An error that the router's author threw as `ORPCError`; any other is masked. */
function failureOf(error: unknown): ProcedureFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, status, data, defined } = error as Error & JsonObject; // as oRPC makes it
  if (typeof code !== "string" || typeof status !== "number" || typeof defined !== "boolean") return undefined;
  if (code === "INTERNAL_SERVER_ERROR" && error.cause !== undefined) return undefined; // its output was wrong, or another error was wrapped
  const issues = isJsonObject(data) ? data["issues"] : undefined;
  const isInput = code === "BAD_REQUEST" && Array.isArray(issues);
  const message = isInput ? `Invalid arguments: ${describeIssues(issues as readonly SchemaIssue[])}` : error.message;
  return { code, message, status, ...(data !== undefined && !isInput && { data }) };
}
