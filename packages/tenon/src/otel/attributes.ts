/**
 * Names and attributes of spans, by the OpenTelemetry semantic conventions for MCP. Names and URIs come from a peer, so they are cut to a
 * limit.
 */
import type { Attributes } from "@opentelemetry/api";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ServerEndpoint } from "../transport/transport-context.ts";

/** The most characters of the name of a tool or prompt. Valid names are not longer. */
const MAX_NAME = 128;
const MAX_URI = 1_024;

/** The method, and the tool or prompt. Such names are few, so backends can group spans by them. */
export function spanName(method: string, params: JsonObject): string {
  const { name } = params;
  return typeof name === "string" && name !== "" ? `${method} ${name.slice(0, MAX_NAME)}` : method;
}

/** Where a client sends a request: the server's host and port over HTTP, and its name in a group. */
export interface Destination {
  readonly endpoint?: ServerEndpoint | undefined;
  readonly server?: string | undefined;
}

export function destinationAttributes({ endpoint, server }: Destination): Attributes {
  return {
    ...(endpoint !== undefined && { "server.address": endpoint.address, "server.port": endpoint.port }),
    ...(server !== undefined && { "tenon.group.server": server.slice(0, MAX_NAME) }),
  };
}

export function requestAttributes(method: string, params: JsonObject, protocolVersion?: string, transport?: string): Attributes {
  const attributes: Attributes = { "mcp.method.name": method };
  if (protocolVersion !== undefined) attributes["mcp.protocol.version"] = protocolVersion;
  const carrier = transport === undefined ? undefined : NETWORK_TRANSPORT.get(transport);
  if (carrier !== undefined) attributes["network.transport"] = carrier;
  const { name, uri } = params;
  if (typeof name === "string" && method === "tools/call") {
    attributes["gen_ai.operation.name"] = "execute_tool";
    attributes["gen_ai.tool.name"] = name.slice(0, MAX_NAME);
  }
  if (typeof name === "string" && method === "prompts/get") attributes["gen_ai.prompt.name"] = name.slice(0, MAX_NAME);
  if (typeof uri === "string" && method.startsWith("resources/")) attributes["mcp.resource.uri"] = uri.slice(0, MAX_URI);
  return attributes;
}

/** How each kind of transport moves bytes. */
export const NETWORK_TRANSPORT: ReadonlyMap<string, string> = new Map([
  ["stdio", "pipe"],
  ["http", "tcp"],
  ["http+sse", "tcp"],
]);
