import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "files", version: "1.0.0" });
server.tool("read", { annotations: { readOnlyHint: true } }, () => "from files");
server.tool("erase", {}, () => "done");

await serveStdio(server);
