/**
 * Makes a tool from a tool: other arguments, another description, another result.
 *
 * The new tool is an ordinary definition, so that a server registers it as any other. It calls the handler of the original, whose own
 * schema still checks the arguments. If the original has a plain JSON Schema, the server checks the rewritten one instead.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { compileSchema, type RequestSchema } from "../schema/compile.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { isStandardSchema, type AnySchema, type StandardSchema, type Validation } from "../schema/standard-schema.ts";
import type { ToolDefinition } from "../server/features/tool.ts";
import type { ToolOptions } from "../server/features/tools.ts";
import type { RequestContext } from "../session/request-context.ts";
import { ArgumentMap } from "./argument-map.ts";
import { withResult, type ResultMaker } from "./result-maker.ts";
import { rewriteSchema, type Changes } from "./rewrite-schema.ts";
import type { ArgumentChange } from "./types.ts";

export type UntypedHandler = (input: unknown, context: RequestContext) => unknown;

/** The changes of a tool as this file reads them. */
export interface ToolChange {
  readonly name?: string;
  readonly title?: string;
  readonly describe?: string;
  readonly arguments?: Readonly<Record<string, ArgumentChange>>;
  readonly result?: ResultMaker;
  readonly output?: AnySchema;
}

const ARGUMENT_KEYS: OptionKeys<ArgumentChange> = { name: 1, describe: 1, default: 1, pin: 1 };
export const TOOL_KEYS: OptionKeys<Omit<ToolChange, "name">> = { title: 1, describe: 1, arguments: 1, result: 1, output: 1 };
const AS_KEY = {
  name: "The name of a tool is its key in the option tools, or use transform(tools, { name: { name: … } }).",
  description: 'Did you mean "describe"?',
};
const RENAMED = { description: 'Did you mean "describe"?', hide: 'Did you mean "pin"?', rename: 'Did you mean "name"?' };

/**
 * The tool after the changes.
 * @param what the tool, for errors
 * @throws TypeError if an option is unknown, or an argument cannot be changed so
 */
export function transformTool(tool: ToolDefinition, change: ToolChange, what: string): ToolDefinition {
  assertKnown(what, change, TOOL_KEYS, AS_KEY);
  const { title, describe } = change;
  if (change.output !== undefined && change.result === undefined)
    throw new TypeError(`${what}: "output" needs "result", whose schema it is`);
  const changes = checkedChanges(change.arguments, what);
  const changed =
    changes.size === 0 ? { input: tool.options.input, handler: tool.handler as UntypedHandler } : withArguments(tool, changes, what);
  const finished = change.result === undefined ? changed.handler : withResult(changed.handler, change.result, tool.options.output);
  const options: ToolOptions = { ...tool.options, ...(changed.input && { input: changed.input }) };
  if (title !== undefined) options.title = title;
  if (describe !== undefined) options.description = describe;
  if (change.result !== undefined) delete options.output;
  if (change.output !== undefined) options.output = change.output;
  return { options, handler: finished };
}

/** @throws TypeError if a change contradicts itself */
export function checkedChanges(given: ToolChange["arguments"], what: string): Changes {
  const changes = new Map(Object.entries(given ?? {}));
  for (const [name, change] of changes) {
    assertKnown(`argument "${name}" of ${what}`, change, ARGUMENT_KEYS, RENAMED);
    const keys = Object.keys(change) as (keyof ArgumentChange)[];
    const missing = keys.find((key) => change[key] === undefined);
    // A secret that is not set must not make its argument public.
    if (missing !== undefined) throw new TypeError(`${what}: "${missing}" of the argument "${name}" is undefined`);
    if (keys.includes("pin") && keys.length > 1)
      throw new TypeError(`${what}: the argument "${name}" is pinned and can have no other change`);
    if (change.name === "") throw new TypeError(`${what}: the argument "${name}" needs a name that is not empty`);
  }
  return changes;
}

interface ChangedTool {
  readonly input: AnySchema | undefined;
  readonly handler: UntypedHandler;
}

function withArguments({ options: { input }, handler }: ToolDefinition, changes: Changes, what: string): ChangedTool {
  if (input === undefined) throw new TypeError(`${what}: the tool has no input schema, so its arguments have no names`);
  const map = new ArgumentMap(changes);
  const published = rewriteSchema(publishedSchema(input, what), changes, what);
  const original = handler as UntypedHandler; // its schema checks the arguments
  if (isStandardSchema(input)) return { input: translatingSchema(input, published, map), handler: original };
  const translated: UntypedHandler = (args, context) => andThen(map.pinned(map.toOriginal(args), context), (all) => original(all, context));
  return { input: published, handler: translated };
}

/** @throws TypeError if the schema has no JSON Schema with an object at its root */
function publishedSchema(input: AnySchema, what: string): JsonObject {
  return compileSchema(input, { io: "input", what: `input of ${what}`, validator: UNUSED }).jsonSchema;
}

/** The schema is only published here: its server compiles it. */
const UNUSED: JsonSchemaValidator = {
  compile() {
    throw new TypeError("A schema that is only published is not compiled");
  },
};

/** A schema that checks the translated arguments, pins included, by the original. */
function translatingSchema(original: StandardSchema, published: JsonObject, map: ArgumentMap): RequestSchema {
  const closed = published["additionalProperties"] === false;
  const check = (args: unknown, translated: MaybePromise<unknown>): MaybePromise<Validation> => {
    const issues = closed ? map.unknownIn(args).map((name) => ({ message: "is not an argument of this tool", path: [name] })) : [];
    if (issues.length > 0) return { issues };
    const checked = andThen(translated, (all) => original["~standard"].validate(all));
    return andThen(checked, (verdict) => (verdict.issues ? { issues: map.toCallerIssues(verdict.issues, args) } : verdict));
  };
  return {
    "~standard": {
      version: 1,
      vendor: "tenon",
      validate: (args) => check(args, map.toOriginal(args)),
      jsonSchema: { input: () => published, output: () => published },
    },
    "~validateFor": (args, context) => check(args, map.pinned(map.toOriginal(args), context)),
  };
}
