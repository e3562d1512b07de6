import { bearer } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { state } from "tenon/state";
import * as z from "zod";

const port = Number(process.env["PORT"] ?? 3000);
const audience = `http://127.0.0.1:${port}/mcp`;
const subjects = new Map<string, string>();
for (const subject of ["ada", "bo"]) {
  const token = process.env[`TOKEN_${subject.toUpperCase()}`];
  if (token === undefined || token === "") throw new Error(`TOKEN_${subject.toUpperCase()} is not set`);
  subjects.set(token, subject);
}

const calls = state("calls", { schema: z.int(), per: "user" });
const server = new McpServer({ name: "counter", version: "1.0.0" });
server.tool("count", {}, async (_, ctx) => String(await calls.update(ctx, (before = 0) => before + 1)));

const verify = async (token: string) => {
  const subject = subjects.get(token);
  return subject === undefined ? undefined : { audience, subject, scopes: [] };
};
await serveHttp(server, { port, auth: bearer({ issuer: "https://tokens.example.com", audience, verify }) });
