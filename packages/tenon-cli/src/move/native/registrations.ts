/** Calls that register something on an official `McpServer`, as calls on a server of Tenon. */
import type { CallExpression, ObjectExpression } from "@babel/types";
import type { Node } from "../source/syntax-tree.ts";
import { handlerText, readerText, writtenHandler } from "./handlers.ts";
import { keyOf, type Source, StaysError, textOf } from "./pieces.ts";
import { isShape, promptOptions, schemaText } from "./schemas.ts";

/** The call without its receiver: `tool("add", { … }, …)`. @throws StaysError */
type Rewrite = (source: Source, args: readonly Node[]) => string;

export const REGISTRATIONS: ReadonlyMap<string, Rewrite> = new Map(
  Object.entries<Rewrite>({
    registerTool: (source, [name, config, handler]) => {
      const options = optionsOf(source, objectIn(config), { inputSchema: "input", outputSchema: "output" });
      return callOf("tool", source, { name, options, handler, hasInput: hasKey(objectIn(config), "inputSchema") });
    },
    registerPrompt: (source, [name, config, handler]) => {
      const options = optionsOf(source, objectIn(config), { argsSchema: "input" });
      return callOf("prompt", source, { name, options, handler, hasInput: hasKey(objectIn(config), "argsSchema") });
    },
    tool: (source, args) => {
      const { name, description, objects, handler } = overloadOf(args);
      const [first, second, third] = objects;
      const shape = first !== undefined && isShape(source, first) ? first : undefined;
      const annotations = shape === undefined ? first : second;
      if (third !== undefined || (shape === undefined && second !== undefined))
        throw new StaysError("it has other arguments than tool() takes");
      const options = [
        ...(description === undefined ? [] : [`description: ${textOf(source, description)}`]),
        ...(shape === undefined ? [] : [`input: ${schemaText(source, shape)}`]),
        ...(annotations === undefined ? [] : [`annotations: ${textOf(source, annotations)}`]),
      ];
      return callOf("tool", source, { name, options, handler, hasInput: shape !== undefined });
    },
    prompt: (source, args) => {
      const { name, description, objects, handler } = overloadOf(args);
      const [shape, second] = objects;
      if (second !== undefined) throw new StaysError("it has other arguments than prompt() takes");
      const options = [
        ...(description === undefined ? [] : [`description: ${textOf(source, description)}`]),
        ...(shape === undefined ? [] : promptOptions(source, shape)),
      ];
      return callOf("prompt", source, { name, options, handler, hasInput: shape !== undefined });
    },
    registerResource: (source, [name, uri, config, handler]) => resourceCall(source, name, uri, { config, handler }),
    resource: (source, args) => {
      const [name, uri] = args;
      return resourceCall(source, name, uri, { config: args.length > 3 ? args[2] : undefined, handler: args.at(-1) });
    },
  }),
);

interface Parts {
  readonly name: Node | undefined;
  readonly options: readonly string[];
  readonly handler: Node | undefined;
  readonly hasInput: boolean;
}

/** The call, with its arguments on lines of their own where they were so. */
function callOf(method: string, source: Source, { name, options, handler, hasInput }: Parts): string {
  if (name === undefined) throw new StaysError("it has no name");
  const text = handlerText(source, writtenHandler(handler), { hasInput, isTool: method === "tool" });
  const [before = ""] = /\s*$/.exec(source.text.slice(0, name.start!)) ?? []; // nodes of a parsed file have their places
  const [, after = ""] = /^,?(\s*)\)/.exec(source.text.slice(handler!.end!)) ?? []; // the same; it was written in place
  const [gap, end] = before.includes("\n") ? [before, after] : [" ", ""];
  return `${method}(${gap === " " ? "" : gap}${textOf(source, name)},${gap}${listOf(options, gap)},${gap}${text}${end})`;
}

/** Most characters of options on one line. */
const LINE = 100;

function listOf(options: readonly string[], gap: string): string {
  const line = options.length === 0 ? "{}" : `{ ${options.join(", ")} }`;
  return line.length <= LINE || gap === " " ? line : `{${options.map((each) => `${gap}  ${each},`).join("")}${gap}}`;
}

/** Members of the options that both have. */
const SAME = new Set(["title", "description", "annotations", "icons", "_meta", "mimeType", "size"]);

function optionsOf(source: Source, config: ObjectExpression, schemas: Readonly<Record<string, "input" | "output">>): string[] {
  return config.properties.flatMap((property) => {
    const key = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
    if (property.type !== "ObjectProperty" || key === undefined) throw new StaysError("its options are made by code");
    const name = schemas[key];
    if (name === undefined && !SAME.has(key)) throw new StaysError(`it has the option ${key}`);
    if (name === undefined) return [textOf(source, property)];
    return key === "argsSchema" ? promptOptions(source, property.value) : [`${name}: ${schemaText(source, property.value)}`];
  });
}

function objectIn(node: Node | undefined): ObjectExpression {
  if (node?.type !== "ObjectExpression") throw new StaysError("its options are written elsewhere");
  return node;
}

function hasKey({ properties }: ObjectExpression, key: string): boolean {
  return properties.some((property) => property.type === "ObjectProperty" && keyOf(property.key) === key);
}

/** The arguments of `tool()` and `prompt()`: a name, perhaps a text, objects, and the handler last. */
function overloadOf(args: readonly Node[]): {
  name: Node | undefined;
  description: Node | undefined;
  objects: ObjectExpression[];
  handler: Node | undefined;
} {
  const [name, ...rest] = args;
  const handler = rest.pop();
  const description = rest[0] !== undefined && /^(?:StringLiteral|TemplateLiteral)$/.test(rest[0].type) ? rest.shift() : undefined;
  return { name, description, objects: rest.map(objectIn), handler };
}

function resourceCall(
  source: Source,
  name: Node | undefined,
  uri: Node | undefined,
  { config, handler }: Readonly<Record<"config" | "handler", Node | undefined>>,
): string {
  if (name === undefined || uri === undefined) throw new StaysError("it has no URI");
  const own = config === undefined ? [] : optionsOf(source, objectIn(config), {});
  const read = writtenHandler(handler);
  if (uri.type !== "NewExpression" && uri.type !== "StringLiteral" && uri.type !== "TemplateLiteral")
    throw new StaysError("its URI is written elsewhere");
  if (uri.type !== "NewExpression") {
    const from = textOf(source, uri);
    return `resource(${from}, { ${[`name: ${textOf(source, name)}`, ...own].join(", ")} }, ${readerText(source, read, from)})`;
  }
  const [template, callbacks] = uri.arguments;
  if (uri.callee.type !== "Identifier" || uri.callee.name !== source.template || template === undefined)
    throw new StaysError("its template is not a ResourceTemplate");
  const options = [`name: ${textOf(source, name)}`, ...completeIn(source, callbacks), ...own];
  return `resourceTemplate(${textOf(source, template)}, { ${options.join(", ")} }, ${readerText(source, read, undefined)})`;
}

/** The option `complete` of a template that lists nothing. */
function completeIn(source: Source, callbacks: CallExpression["arguments"][number] | undefined): string[] {
  return objectIn(callbacks).properties.flatMap((property) => {
    const key = property.type === "ObjectProperty" ? keyOf(property.key) : undefined;
    if (property.type !== "ObjectProperty" || key === undefined) throw new StaysError("its callbacks are made by code");
    if (key === "complete") return [textOf(source, property)];
    if (key === "list" && property.value.type === "Identifier" && property.value.name === "undefined") return [];
    throw new StaysError("its template lists resources");
  });
}
