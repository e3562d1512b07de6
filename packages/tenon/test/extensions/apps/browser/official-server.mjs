// A server of apps on the official SDK and `@modelcontextprotocol/ext-apps`.
import { getUiCapability, registerAppResource, registerAppTool, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/** A handler of HTTP requests; `onDeclared` receives what the client declared, when it calls the tool. */
export function officialHandler(onDeclared) {
  return createMcpHandler(() => {
    const server = new McpServer({ name: "official", version: "1" });
    registerAppTool(server, "show", { description: "Shows", _meta: { ui: { resourceUri: "ui://show/view.html" } } }, () => {
      onDeclared(getUiCapability(server.server.getClientCapabilities()));
      return { content: [{ type: "text", text: "shown" }] };
    });
    registerAppTool(server, "refresh", { description: "For views", _meta: { ui: { visibility: ["app"] } } }, () => ({
      content: [],
    }));
    registerAppResource(server, "view", "ui://show/view.html", {}, () => ({
      contents: [{ uri: "ui://show/view.html", mimeType: RESOURCE_MIME_TYPE, text: "<p>view" }],
    }));
    return server;
  });
}
