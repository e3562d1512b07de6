/** `fromProcedures()`: the procedures of a router as tools, in process and through the router's own middleware and validation. */
import { assertKnown } from "../base/known-options.ts";
import { estimateTokens } from "../base/text/token-estimate.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { assertName, toolNames } from "../openapi/schema/names.ts";
import { FAILURE_KEY } from "../protocol/tenon-keys.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { ToolError } from "../server/features/tool-error.ts";
import type { ToolDefinition, ToolSet } from "../server/features/tool.ts";
import type { ToolOptions, ToolReturn } from "../server/features/tools.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolSignature } from "../session/tools/typed-tools.ts";
import type { Procedure, ProcedureFailure, ProcedureSource } from "./procedure.ts";
import { asJson, toResult } from "./results.ts";
import { planInput, planOutput, type ToJsonSchema } from "./schemas.ts";
import { chosenOf, mcpOf, PROCEDURE_OPTIONS, type ProcedureOptions, type ProcedureReportEntry } from "./options.ts";

/** The tools of a router, with their types. */
export interface ProcedureTools<Tools = ToolSet<unknown>> {
  /** The tools, for the option `tools` of `McpServer`. */
  readonly tools: Tools;
  /** What became of each procedure, in the order of the router. */
  readonly report: readonly ProcedureReportEntry[];
  /** About how many tokens a model reads for all tools. */
  readonly tokens: number;
}

/** `posts.byId` as the name of a tool. */
type NameOf<Path extends string> = Path extends `${infer Head}.${infer Rest}` ? `${Head}_${NameOf<Rest>}` : Path;

/** The paths that the option `include` lists; all if it is a function or absent. */
type Included<Signatures, Options> = Options extends { readonly include: readonly (infer Path)[] }
  ? keyof Signatures & Path
  : keyof Signatures;

/** The tools of a router as the compiler knows them. With the option `name` it does not know their names. */
export type ToolsFrom<Signatures, Options> = Options extends { readonly name: (...args: never) => unknown }
  ? ToolSet<unknown>
  : {
      readonly [Path in Included<Signatures, Options> & string as NameOf<Path>]: Signatures[Path] extends ToolSignature<
        infer Args,
        infer Data
      >
        ? ToolDefinition<Args, Data, unknown>
        : never;
    };

/**
 * Makes tools from the procedures of a router that were chosen: by the option `include`, or by `mcp` in their metadata. A call runs the
 * router in this process, with its middleware and its validation.
 *
 * Security: a tool does what its procedure does. Give the router the caller, by the adapter's option `context`, so that its own rules hold.
 * @param source what an adapter made of the router; a promise of it if the adapter reads a document first
 * @throws TypeError if no procedure is chosen, if a path of `include` is unknown, or if a name cannot be used; RangeError if more than
 * `maxTools` are chosen
 * @example
 * ```ts
 * import { initTRPC } from "@trpc/server";
 * import { connect } from "tenon/client";
 * import { fromProcedures, trpc } from "tenon/procedures";
 * import { McpServer } from "tenon/server";
 * import * as z from "zod";
 *
 * const t = initTRPC.create();
 * const appRouter = t.router({ greet: t.procedure.input(z.object({ name: z.string() })).query(({ input }) => `Hello ${input.name}`) });
 * const { tools } = fromProcedures(trpc(appRouter), { include: ["greet"] });
 * const server = new McpServer({ name: "greeter", version: "1.0.0" }, { tools });
 * await using client = await connect(server);
 * console.log(await client.call.greet({ name: "Ada" })); // Hello Ada
 * ```
 */
export function fromProcedures<Signatures, const Options extends ProcedureOptions<keyof Signatures & string>>(
  source: ProcedureSource<Signatures>,
  options?: Options,
): ProcedureTools<ToolsFrom<Signatures, Options>>;
/** Makes tools from a router whose adapter reads a document first: `await fromProcedures(hono(app), …)`. */
export function fromProcedures<Signatures, const Options extends ProcedureOptions<keyof Signatures & string>>(
  source: Promise<ProcedureSource<Signatures>>,
  options?: Options,
): Promise<ProcedureTools<ToolsFrom<Signatures, Options>>>;
export function fromProcedures(
  source: ProcedureSource<unknown> | Promise<ProcedureSource<unknown>>,
  options: ProcedureOptions = {},
): unknown {
  assertKnown("fromProcedures()", options, PROCEDURE_OPTIONS);
  return source instanceof Promise ? source.then((found) => makeTools(found, options)) : makeTools(source, options);
}

function makeTools(source: ProcedureSource<unknown>, options: ProcedureOptions): ProcedureTools {
  const chosen = chosenOf(source, options);
  const names = toolNames(
    [...source.procedures],
    ({ toolName, path }) => toolName ?? path,
    ({ path }) => path,
  );
  const tools = new Map<string, ToolDefinition<unknown, unknown, unknown>>();
  const report = source.procedures.map((procedure): ProcedureReportEntry => {
    const { path } = procedure;
    if (!chosen.has(procedure))
      return { procedure: path, status: "skipped", why: 'it was not chosen (option "include", or `mcp` in its metadata)' };
    const name = options.name?.(procedure) ?? names.get(procedure)!;
    assertName(name, path);
    if (tools.has(name)) throw new TypeError(`Option "name" gives the name ${name} to two procedures; the second is ${path}`);
    const made = toolOf(procedure, options);
    if (typeof made === "string") return { procedure: path, status: "skipped", why: made };
    tools.set(name, made.tool);
    return { procedure: path, tool: name, status: "tool", ...(made.why !== undefined && { why: made.why }) };
  });
  const left = source.leftOut.map(({ procedure, why }): ProcedureReportEntry => ({ procedure, status: "skipped", why }));
  const tokens = [...tools].reduce((sum, [name, { options: each }]) => sum + tokensOf(name, each), 0);
  const max = options.maxTools ?? 100;
  if (tools.size > max)
    throw new RangeError(
      `${tools.size} procedures of ${source.what} are chosen, tools of about ${tokens} tokens. A model chooses badly among more than ${max}: choose fewer (option "include"), or raise "maxTools"`,
    );
  return { tools: Object.fromEntries(tools), report: [...report, ...left], tokens };
}

function toolOf(
  procedure: Procedure,
  options: ProcedureOptions,
): { readonly tool: ToolDefinition<unknown, unknown, unknown>; readonly why?: string } | string {
  const map = (tool: ToolOptions): ToolOptions => options.map?.(tool, procedure) ?? tool;
  if (procedure.tool !== undefined) return { tool: { ...procedure.tool, options: map(procedure.tool.options) } };
  try {
    const input = planInput(procedure.inputs, options.toJsonSchema);
    const { output, why } = outputOf(procedure, options.toJsonSchema);
    const texts = { ...textsOf(procedure), annotations: annotationsOf(procedure) };
    const tool = map({ ...texts, input: input.schema, ...(output !== undefined && { output: output.schema }) });
    const handler = (args: never, context: RequestContext): Promise<ToolReturn | CallToolResult> =>
      run(procedure, input.toInput(args), context, { isWrapped: output?.isWrapped, maxValues: options.maxValues ?? 100 });
    return { tool: { options: tool, handler }, ...(why !== undefined && { why }) };
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

/** An output schema that cannot be converted is left out: the result is the same without it. */
function outputOf({ output, kind }: Procedure, custom: ToJsonSchema | undefined): { output?: ReturnType<typeof planOutput>; why?: string } {
  if (kind === "subscription") return {};
  try {
    return { output: planOutput(output, custom) };
  } catch (error) {
    return { why: `its output schema is left out: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function textsOf(procedure: Procedure): ToolOptions {
  const { title, description } = mcpOf(procedure) ?? {};
  const texts = [procedure.summary, procedure.description].filter((text) => text !== undefined && text !== "");
  const said =
    typeof description === "string" ? description : texts.length > 0 ? texts.join("\n\n") : `The ${procedure.kind} ${procedure.path}`;
  return { ...(typeof title === "string" && { title }), description: said };
}

function annotationsOf(procedure: Procedure): NonNullable<ToolOptions["annotations"]> {
  const { annotations } = mcpOf(procedure) ?? {};
  return { readOnlyHint: procedure.kind !== "mutation", ...(isJsonObject(annotations) && annotations) };
}

/** Calls a procedure. What its author meant for callers is a readable failure; anything else is thrown on, and masked. */
async function run(
  procedure: Procedure,
  input: unknown,
  context: RequestContext,
  results: { readonly isWrapped: boolean | undefined; readonly maxValues: number },
): Promise<ToolReturn | CallToolResult> {
  try {
    return await toResult(await procedure.call(input, context), context, results);
  } catch (error) {
    context.signal.throwIfAborted();
    const failure = procedure.failure(error);
    if (failure === undefined) throw error;
    throw toToolError(failure);
  }
}

function toToolError({ code, message, status, data }: ProcedureFailure): ToolError {
  const detail: JsonObject = { code, ...(status !== undefined && { status }), ...(data !== undefined && { data: asJson(data) }) };
  return new ToolError(message === code ? code : `${message} (${code})`, { _meta: { [FAILURE_KEY]: detail } });
}

function tokensOf(name: string, { description, input }: ToolOptions): number {
  const standard = (input as { readonly "~standard"?: { readonly jsonSchema?: { input(options: object): unknown } } } | undefined)?.[
    "~standard"
  ]; // made above, or a JSON Schema
  const inputSchema = standard?.jsonSchema?.input({ target: "draft-2020-12" }) ?? input;
  return estimateTokens({ name, description, inputSchema }); // as `tenon check` counts a listed tool
}
