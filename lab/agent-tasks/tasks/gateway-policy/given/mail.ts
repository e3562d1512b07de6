import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "mail", version: "1.0.0" });
server.tool("inbox", { annotations: { readOnlyHint: true } }, () => "from mail");
server.tool("send", {}, () => "done");

await serveStdio(server);
