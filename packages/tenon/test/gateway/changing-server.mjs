// A server whose only tool has the description that a file holds when the server starts.
import { readFileSync } from "node:fs";
import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";

const server = new McpServer({ name: "files", version: "1.0.0" });
server.tool("read", { description: readFileSync(process.argv[2], "utf8") }, () => "text");
await serveStdio(server);
