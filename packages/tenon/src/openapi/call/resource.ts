/**
 * A GET operation as a resource, or as a resource template if its path has variables.
 *
 * Its URI is not the API's URL, because clients may fetch those themselves, without the credentials.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ReadResourceResult } from "../../protocol/resources.ts";
import type { ReadTemplate } from "../../server/features/resources.ts";
import { ToolError } from "../../server/features/tool-error.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import type { McpServer } from "../../server/mcp-server.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { MappedOperation } from "./mapped-operation.ts";

/** A resource that is not registered yet. */
export interface MappedResource {
  /** Its URI, or its URI template. */
  readonly uri: string;
  addTo(server: McpServer): void;
}

/** The resource of an operation; undefined if it needs arguments that are not in its path, or is not a GET. */
export function resourceOf(mapped: MappedOperation, name: string): MappedResource | undefined {
  const { operation, request } = mapped.plan;
  const { parameters, body, base } = request;
  const isSimple = parameters.every(({ place, isRequired, writing, mediaType }) =>
    place === "path" ? mediaType === undefined && writing.style === "simple" && /^\w+$/.test(writing.name) : !isRequired,
  );
  if (operation.method !== "GET" || body !== undefined || !isSimple || /[?#]/.test(operation.path)) return undefined;
  const uri = `openapi://${base.host}${operation.path}`;
  const { description } = mapped.toolOptions();
  const options = { name, ...(description !== undefined && { description }) };
  if (!operation.path.includes("{"))
    return { uri, addTo: (server) => void server.resource(uri, options, (own, ctx) => read(mapped, {}, own, ctx)) };
  const readTemplate: ReadTemplate<string> = (variables, ctx) => read(mapped, { ...variables }, String(ctx.params["uri"]), ctx);
  return { uri, addTo: (server) => void server.resourceTemplate(uri, options, readTemplate) };
}

/** Reads a resource. @throws McpError with what the API says; a status of 404 means that there is no such resource */
async function read(
  mapped: MappedOperation,
  args: JsonObject,
  uri: string,
  context: RequestContext,
): Promise<ReadResourceResult | undefined> {
  try {
    return { contents: [contentsOf(await mapped.call(args, context), uri)] };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.message.startsWith("404 ")) return undefined;
    throw new McpError(ErrorCode.InternalError, error.message);
  }
}

function contentsOf({ content, structuredContent }: CallToolResult, uri: string): ReadResourceResult["contents"][number] {
  const [block] = content;
  if (block?.type === "image" || block?.type === "audio") return { uri, mimeType: block.mimeType, blob: block.data };
  if (block?.type === "resource" && "blob" in block.resource)
    return { uri, mimeType: block.resource.mimeType ?? "application/octet-stream", blob: block.resource.blob };
  const mimeType = structuredContent === undefined ? "text/plain" : "application/json";
  return { uri, mimeType, text: block?.type === "text" ? block.text : "" };
}
