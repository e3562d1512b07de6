import { bearer } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "files", version: "1.0.0" });
server.tool("whoami", {}, (_, ctx) => ctx.auth?.subject ?? "");
server.tool("erase", { scopes: ["files:write"] }, () => "erased");

const issuer = process.env["ISSUER"] ?? "https://login.example.com";
const audience = process.env["AUDIENCE"] ?? "https://files.example.com/mcp";
await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000), auth: bearer({ issuer, audience }) });
