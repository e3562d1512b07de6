import { bearer } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "files", version: "1.0.0" });
server.tool("whoami", {}, (_, ctx) => ctx.auth?.subject ?? "");
server.tool("erase", { scopes: ["files:write"] }, () => "erased");

interface Claims {
  readonly sub: string;
  readonly scope?: string;
}
const audience = process.env["AUDIENCE"] ?? "https://files.example.com/mcp";
const auth = bearer({
  issuer: process.env["ISSUER"] ?? "https://login.example.com",
  audience,
  verify: async (token) => {
    const { sub, scope } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Claims;
    return { audience, subject: sub, scopes: scope?.split(" ") ?? [] };
  },
});
await serveHttp(server, { port: Number(process.env["PORT"] ?? 3000), auth });
