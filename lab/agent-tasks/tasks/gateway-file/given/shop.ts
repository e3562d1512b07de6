import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "shop", version: "1.0.0" });
server.tool("find", { annotations: { readOnlyHint: true } }, () => "found");
server.tool("buy", {}, () => "bought");

await serveStdio(server);
