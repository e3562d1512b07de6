// What the documentation prints compiles, and the example runs, with the package as it was built.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { compileDocument } from "../support/documented.ts";

const REST = `
import type { McpServer } from "tenon/server";
import type { BearerAuth } from "tenon/auth";
import type { NodeHandler } from "tenon/node";
declare global {
  const server: McpServer, issuer: string, audience: string, auth: BearerAuth;
  const app: { all(paths: readonly string[], handler: NodeHandler): void };
  const hono: { all(path: string, handler: (context: { req: { raw: Request } }) => Promise<Response>): void };
  const tokens: { find(token: string): Promise<{ audience: string; user: string; scopes: string[]; expiresAt: number } | undefined> };
  const Move: { readonly type: "object"; readonly properties: { readonly to: { readonly type: "string" } }; readonly required: readonly ["to"] };
}`;

test("the programs of docs/servers/authorization.md compile", () => {
  const { blocks, complaints } = compileDocument("servers/authorization", REST);
  expect([blocks.length, complaints]).toEqual([6, ""]);
});

/** A port nobody else has right now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("protected.ts closes the door, lets its user in, and lets them do more when they ask for more [M1.2 M1.6]", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const PORT = String(await freePort());
  const env = { ...process.env, PORT };
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "jiti/register", "examples/protected.ts"], {
    cwd: root,
    env,
    timeout: 25_000,
  });
  expect(stdout).toBe(
    `401 Bearer resource_metadata="http://127.0.0.1:${PORT}/.well-known/oauth-protected-resource/mcp"\nThe notes of ann\nCleared for ann\n`,
  );
});
