/**
 * `tool()`: a tool as a value, so that the type of a server includes its tools.
 *
 * A call of `server.tool(…)` cannot change the type of `server`; an option of its constructor can.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AnySchema, InferInput, InferOutput, WholeSchemas } from "../../schema/standard-schema.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ToolSignature } from "../../session/tools/typed-tools.ts";
import type { ToolInput, ToolOptions, ToolOutput } from "./tools.ts";

/** A tool that is not registered yet. */
export interface ToolDefinition<Args = unknown, Data = unknown, Lifespan = never> {
  /** Its description and schemas. */
  readonly options: ToolOptions;
  /** Runs the tool. */
  readonly handler: (input: never, context: RequestContext<Lifespan>) => unknown;
  /** For the compiler only. */
  readonly "~signature"?: ToolSignature<Args, Data>;
}

/** Tools by name. */
export interface ToolSet<Lifespan = never> {
  readonly [name: string]: ToolDefinition<unknown, unknown, Lifespan>;
}

/** The arguments and the data of these tools, for callers. */
export type SignaturesOf<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends { readonly "~signature"?: infer Signature } ? NonNullable<Signature> : never;
};

/** The arguments that callers pass, before defaults and transforms of the schema. */
type Args<Input> = Input extends AnySchema ? InferInput<Input> : JsonObject;

/** What `client.call` returns. Only objects differ from text on every revision, so other results are typed as string or unknown. */
type Data<Output, Returned> = Output extends AnySchema
  ? InferOutput<Output> extends object
    ? InferOutput<Output>
    : unknown
  : Returned extends string
    ? string
    : unknown;

/**
 * Defines a tool for the option `tools` of `McpServer`: use it if callers want types, or a tool is in a file of its own; else `server.tool()`.
 * Annotate the context if the handler uses the lifespan:
 * `(input, ctx: RequestContext<Database>) => …`.
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { McpServer, tool } from "tenon/server";
 * import * as z from "zod";
 *
 * const add = tool({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, ({ a, b }) => ({ sum: a + b }));
 * const server = new McpServer({ name: "sums", version: "1.0.0" }, { tools: { add } });
 * await using client = await connect(server);
 * console.log((await client.call.add({ a: 1, b: 2 })).sum); // 3
 * ```
 */
export function tool<
  const Input extends AnySchema | undefined = undefined,
  const Output extends AnySchema | undefined = undefined,
  Lifespan = unknown,
  const Returned extends ToolOutput<Output> = ToolOutput<Output>,
>(
  options: ToolOptions<Input, Output> & WholeSchemas<{ input: Input; output: Output }>,
  handler: (input: ToolInput<Input>, context: RequestContext<Lifespan>) => MaybePromise<Returned>,
): ToolDefinition<Args<Input>, Data<Output, Returned>, Lifespan> {
  return { options, handler };
}
