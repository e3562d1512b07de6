/** `setRequestHandler(ListToolsRequestSchema, handler)` as `use("tools/list", () => handler)`: the innermost handler of one method. */
import { officialName } from "../source/imports.ts";
import { type Node, walk } from "../source/syntax-tree.ts";
import type { Splice } from "../../hosts/file-edit.ts";
import { memberSplices, spliced, type Written, writtenHandler } from "./handlers.ts";
import { replace, type Source, StaysError } from "./pieces.ts";
import { thrownSplices } from "./thrown-errors.ts";

const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ListTools: "tools/list",
    CallTool: "tools/call",
    ListResources: "resources/list",
    ListResourceTemplates: "resources/templates/list",
    ReadResource: "resources/read",
    Subscribe: "resources/subscribe",
    Unsubscribe: "resources/unsubscribe",
    ListPrompts: "prompts/list",
    GetPrompt: "prompts/get",
    Complete: "completion/complete",
    SetLevel: "logging/setLevel",
    Ping: "ping",
  }),
);

/** The method of a schema such as `ListToolsRequestSchema`, or that 2.x names by a text. @throws StaysError for others */
export function methodOf(source: Source, schema: Node | undefined): string {
  if (schema?.type === "StringLiteral" && [...METHODS.values()].includes(schema.value)) return schema.value;
  const name = schema === undefined ? undefined : officialName(schema, source.imports);
  const method = METHODS.get(name?.replace(/RequestSchema$/, "") ?? "");
  if (method === undefined) throw new StaysError("its method is not one that is rewritten");
  return method;
}

/** The call without its receiver. @throws StaysError */
export function requestText(source: Source, [schema, handler]: readonly Node[]): string {
  const method = methodOf(source, schema);
  return `use(${JSON.stringify(method)}, () => ${requestHandlerText(source, writtenHandler(handler))})`;
}

/** The handler with the context in the place of the request, which has its `method` and its `params`. */
function requestHandlerText(source: Source, handler: Written): string {
  const [request, extra, more] = handler.params;
  if (more !== undefined) throw new StaysError("its handler has more parameters");
  const splices: Splice[] = thrownSplices(source, handler.body, "request");
  if (handler.returnType) splices.push(replace(handler.returnType, ""));
  if (request !== undefined && "typeAnnotation" in request && request.typeAnnotation) splices.push(replace(request.typeAnnotation, ""));
  if (extra !== undefined) {
    splices.push({ offset: request!.end!, length: extra.end! - request!.end!, text: "" }); // extra is the second one
    splices.push(...contextSplices(handler.body, request!, extra));
  }
  return spliced(source, handler, splices);
}

function contextSplices(body: Node, request: Node, extra: Node): Splice[] {
  if (extra.type !== "Identifier") throw new StaysError("its handler takes extra apart");
  if (request.type === "Identifier") return memberSplices(body, extra.name, request.name);
  walk(body, (node) => {
    if (node.type === "Identifier" && node.name === extra.name) throw new StaysError("its handler uses extra and takes the request apart");
  });
  return [];
}
