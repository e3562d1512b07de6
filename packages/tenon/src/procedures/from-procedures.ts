/**
 * `fromProcedures()`: the procedures of a router as tools, in process and through the router's own middleware and validation.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
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
import type { Procedure, ProcedureFailure, ProcedureInfo, ProcedureSource } from "./procedure.ts";
import { asJson, toResult } from "./results.ts";
import { planInput, planOutput, type ToJsonSchema } from "./schemas.ts";

/** Options of {@link fromProcedures}. */
export interface ProcedureOptions<Path extends string = string> {
  /**
   * Which procedures become tools: their paths, or a function. Default: those whose metadata says `mcp`, as `meta({ mcp: true })` does.
   * Security: nothing else is exposed.
   */
  readonly include?: readonly Path[] | ((procedure: ProcedureInfo) => boolean);
  /** Names a tool; undefined keeps the default: the path, with `_` in the place of dots. 1 to 64 letters, digits, `_` or `-` (TypeError). */
  readonly name?: (procedure: ProcedureInfo) => string | undefined;
  /** Changes the description, the annotations or the scopes of a tool. Default: unchanged. */
  readonly map?: (tool: ToolOptions, procedure: ProcedureInfo) => ToolOptions;
  /** Makes the JSON Schema of a schema that has no converter, such as one of zod 3. Default: such a procedure is left out. */
  readonly toJsonSchema?: ToJsonSchema;
  /** Most tools; more are refused (RangeError), because a model chooses badly among many and pays for each. Default 100. */
  readonly maxTools?: number;
  /** Most values of a subscription: then it ends, and the result says so. Default 100. */
  readonly maxValues?: number;
}

const OPTIONS: OptionKeys<ProcedureOptions> = { include: 1, name: 1, map: 1, toJsonSchema: 1, maxTools: 1, maxValues: 1 };

/** What became of one procedure. */
export interface ProcedureReportEntry {
  /** Its path: `posts.byId`. */
  readonly procedure: string;
  /** The name of its tool; absent if it is not a tool. */
  readonly tool?: string;
  /** Whether it is a tool. */
  readonly status: "tool" | "skipped";
  /** Why it was left out, or what of it is missing. */
  readonly why?: string;
}

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
  assertKnown("fromProcedures()", options, OPTIONS);
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

/** @throws TypeError if nothing is chosen, or what is not there */
function chosenOf({ procedures, what, leftOut }: ProcedureSource<unknown>, { include }: ProcedureOptions): ReadonlySet<Procedure> {
  if (include !== undefined && typeof include !== "function") {
    const known = [...procedures.map(({ path }) => path), ...leftOut.map(({ procedure }) => procedure)];
    const unknown = include.find((path) => !known.includes(path));
    if (unknown !== undefined)
      throw new TypeError(`Option "include": ${what} has no procedure ${JSON.stringify(unknown)}. It has: ${shown(known)}`);
  }
  const isChosen = (procedure: Procedure): boolean =>
    include === undefined
      ? mcpOf(procedure) !== undefined
      : typeof include === "function"
        ? include(procedure)
        : include.includes(procedure.path);
  const chosen = new Set(procedures.filter(isChosen));
  if (chosen.size > 0 || (include !== undefined && typeof include !== "function" && include.length > 0)) return chosen;
  const late = leftOut.map(({ procedure, why }) => `${procedure}: ${why}`);
  const left = late.length === 0 ? "" : `. Left out: ${shown(late)}`;
  if (procedures.length === 0) throw new TypeError(`There is no procedure in ${what} that can become a tool${left}`);
  throw new TypeError(
    `None of the ${procedures.length} procedures of ${what} is chosen: give their metadata \`mcp: true\`, or name them in option "include". They are: ${shown(procedures.map(({ path }) => path))}${left}`,
  );
}

function shown(paths: readonly string[]): string {
  return `${paths.slice(0, 20).join(", ")}${paths.length > 20 ? ` and ${paths.length - 20} more` : ""}`;
}

/** What the metadata says about the tool; undefined if the procedure is not chosen by it. */
function mcpOf({ meta }: ProcedureInfo): JsonObject | undefined {
  const mcp = isJsonObject(meta) ? meta["mcp"] : undefined;
  return mcp === true ? {} : isJsonObject(mcp) && mcp["enabled"] !== false ? mcp : undefined;
}

/** The tool of a procedure, or why there is none. */
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
