/**
 * Makes a tool of a live source from a tool of it. Its arguments are checked here by the changed schema, so that errors have the names
 * that callers know; the source checks the translated arguments again.
 */
import { assertKnown } from "../base/known-options.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import { compileCheck, compileSchema, type SchemaCheck } from "../schema/compile.ts";
import { defaultJsonSchemaValidator } from "../schema/json-schema-validator.ts";
import { describeIssues } from "../schema/standard-schema.ts";
import { toStructured, toToolResult } from "../server/features/call-tool.ts";
import type { Feature } from "../server/features/feature-source.ts";
import { InvalidToolInputError } from "../server/features/tool-error.ts";
import { viewOf } from "../session/context-view.ts";
import type { RequestContext } from "../session/request-context.ts";
import { ArgumentMap } from "./argument-map.ts";
import { withResult } from "./result-maker.ts";
import { rewriteSchema } from "./rewrite-schema.ts";
import { checkedChanges, TOOL_KEYS, type ToolChange } from "./transform-tool.ts";

const validator = defaultJsonSchemaValidator;

/** @throws TypeError if an option is unknown, or contradicts another */
export function assertToolChange(change: ToolChange, what: string): void {
  assertKnown(what, change, { ...TOOL_KEYS, name: 1 });
  checkedChanges(change.arguments, what);
  if (change.output !== undefined && change.result === undefined)
    throw new TypeError(`${what}: "output" needs "result", whose schema it is`);
}

/** The tool after the changes. @throws TypeError if its schema does not allow them */
export function transformFeature(feature: Feature, change: ToolChange, what: string): Feature {
  const { listed } = feature;
  const id = change.name ?? feature.id;
  const changes = checkedChanges(change.arguments, what);
  const inputSchema = changes.size === 0 ? undefined : rewriteSchema(listed["inputSchema"] as JsonObject, changes, what); // each tool has one
  const output = change.output && compileSchema(change.output, { io: "output", what: `output of ${what}`, validator });
  const call: Feature["run"] =
    inputSchema === undefined ? (context) => feature.run(context) : translated(feature, id, { map: new ArgumentMap(changes), inputSchema });
  const named = (context: RequestContext): MaybePromise<JsonObject> =>
    call(viewOf(context, { params: { ...context.params, name: feature.id } }));
  return {
    kind: feature.kind,
    id,
    options: { ...feature.options, ...textsOf(change), ...(inputSchema && { input: inputSchema }) },
    listed: {
      ...listed,
      name: id,
      ...textsOf(change),
      ...(inputSchema && { inputSchema }),
      ...(change.result && { outputSchema: output?.jsonSchema }),
    },
    run: change.result === undefined ? named : finished(named, change.result, output),
    origin: feature,
  };
}

function textsOf({ title, describe }: ToolChange): { title?: string; description?: string } {
  return { ...(title !== undefined && { title }), ...(describe !== undefined && { description: describe }) };
}

/** The handler of the tool, for the changed arguments. */
function translated(feature: Feature, id: string, { map, inputSchema }: { map: ArgumentMap; inputSchema: JsonObject }): Feature["run"] {
  const check: SchemaCheck = compileCheck(inputSchema, { what: `input of tool "${id}"`, validator });
  return (context) => {
    const input = context.params["arguments"] ?? {};
    return andThen(check.validate(input), ({ issues }) => {
      if (issues !== undefined) throw new InvalidToolInputError(id, describeIssues(issues), "result");
      const all = map.pinned(map.toOriginal(input), context);
      return andThen(all, (args) => feature.run(viewOf(context, { params: { ...context.params, arguments: args } })));
    });
  };
}

/** The handler whose result is made of the data. Failures, questions and tasks pass unchanged. */
function finished(run: Feature["run"], make: NonNullable<ToolChange["result"]>, output: SchemaCheck | undefined): Feature["run"] {
  const handler = withResult((_input, context) => run(context), make, undefined);
  return (context) => andThen(handler(undefined, context), (value) => toResult(value, output));
}

function toResult(value: unknown, output: SchemaCheck | undefined): MaybePromise<JsonObject> {
  const whole: CallToolResult = toToolResult(value);
  if (output === undefined || whole === value) return whole;
  return andThen(output.validate(value), ({ issues }) => {
    if (issues !== undefined) throw new TypeError(`The result does not match its schema: ${describeIssues(issues)}`);
    return toStructured(value);
  });
}
