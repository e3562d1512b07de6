/**
 * A server over TLS behind a proxy with a user and a password: the command and a program reach it through a tunnel. Needs a
 * build.
 */
import { createServer } from "node:http";
import { connect as tcp, type AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { oddServer } from "../../../tenon/test/field/odd-server.ts";
import { TLS_CERTIFICATE, TLS_HOST, TLS_KEY } from "../../../tenon/test/support/tls-identity.ts";
import { startCommand, startNode, type Ended } from "../cli/start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const URL_BEHIND = `https://${TLS_HOST}/mcp`;
const PACKAGE = dirname(fileURLToPath(new URL("../../../tenon/package.json", import.meta.url)));
const PROGRAM = `
  import { connect } from "tenon/client";
  import { proxyFetch } from "tenon/node";
  const client = await connect({ url: "${URL_BEHIND}", fetch: proxyFetch });
  console.log((await client.listTools()).tools.map(({ name }) => name).join());
  await client.close();`;

async function listening(server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port; // it listens at a port
}

/** A server that only the proxy reaches, over TLS. Returns the environment that leads there, and what the proxy was asked for. */
async function company(): Promise<{ env: Record<string, string>; asked: string[] }> {
  const tools = [{ name: "behind", inputSchema: { type: "object" } }];
  const plain = new URL(
    await oddServer((method) => (method === "tools/list" ? { tools } : undefined), { opening: { capabilities: { tools: {} } } }),
  );
  const secure = await listening(
    createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (socket) => {
      const to = tcp(Number(plain.port), "127.0.0.1").on("error", () => socket.destroy());
      socket
        .on("error", () => to.destroy())
        .pipe(to)
        .pipe(socket);
    }),
  );
  const asked: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(500).end());
  proxy.on("connect", (request, socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    const to = tcp(secure, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    to.on("error", () => socket.destroy());
    socket
      .on("error", () => to.destroy())
      .pipe(to)
      .pipe(socket);
  });
  const folder = mkdtempSync(join(tmpdir(), "tenon-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "company.pem"), TLS_CERTIFICATE);
  const url = `http://user:secret@127.0.0.1:${await listening(proxy)}`;
  return { env: { HTTPS_PROXY: url, NODE_EXTRA_CA_CERTS: join(folder, "company.pem"), HOME: folder }, asked };
}

test.each<[string, (env: Record<string, string>) => Promise<Ended>, RegExp]>([
  ["tenon list", (env) => startCommand(["list", URL_BEHIND], { env }), /behind/],
  [
    "tenon doctor",
    (env) => startCommand(["doctor", URL_BEHIND], { env }),
    /through the proxy http:\/\/127\.0\.0\.1:\d+ \(HTTPS_PROXY\)/,
  ],
  ["a program", (env) => startNode(["--input-type=module", "-e", PROGRAM], { env, cwd: PACKAGE }), /^behind$/m],
])("%s reaches it through the tunnel, and shows no password [FD-75]", async (_what, run, shows) => {
  const { env, asked } = await company();
  const { code, stdout, stderr } = await run(env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(shows);
  expect(stdout + stderr).not.toContain("secret");
  expect(new Set(asked)).toEqual(new Set([`${TLS_HOST}:443 Basic ${Buffer.from("user:secret").toString("base64")}`]));
});

test("a certificate that is not trusted is the error, with the variable that helps [FD-75]", async () => {
  const { env } = await company();
  const { code, stderr } = await startCommand(["list", URL_BEHIND], { env: { ...env, NODE_EXTRA_CA_CERTS: "" } });
  expect(code).toBe(3);
  expect(stderr).toContain("its certificate is not to be trusted");
  expect(stderr).toContain("NODE_EXTRA_CA_CERTS");
});
