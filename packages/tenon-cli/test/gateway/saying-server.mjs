// A server whose prompt, instructions and page are what a JSON file says when the server starts.
import { readFileSync } from "node:fs";
import { McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";

const PAGE = "ui://shop/view.html";
const { prompt, instructions, page } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const server = new McpServer({ name: "shop", version: "1.0.0" }, { instructions });
server.tool("show", { _meta: { ui: { resourceUri: PAGE } } }, () => "shown");
server.prompt("greet", { description: prompt }, () => "hello");
server.resource(PAGE, { mimeType: "text/html;profile=mcp-app" }, () => page);
await serveStdio(server);
