/**
 * Ten servers that are broken in the commonest ways, and what each is called by its users: down, a web page, JSON-RPC without
 * MCP, a wrong path, a login with and without metadata, a certificate that nobody trusts, a redirect, a proxy that refuses,
 * silence, and a program that ends at once. Each ends with its test.
 */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { toNodeHandler } from "tenon/node";
import { protect } from "../../../tenon/test/auth/support.ts";
import { listen } from "../../../tenon/test/runtimes/browser.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";
import { TLS_CERTIFICATE, TLS_KEY } from "../../../tenon/test/support/tls-identity.ts";
import { startAuthorizationServer } from "tenon/testing";

/** One broken server. */
export interface Broken {
  /** A URL, or a command with its arguments. */
  readonly server: string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What every command says is wrong. */
  readonly problem: RegExp;
  /** What to do, one sentence or two. */
  readonly remedy: string;
  /** What the program writes to stderr, if the remedy is there. */
  readonly stderr?: string;
  /** What `gateway check` says to do, if a gateway needs something else. */
  readonly gatewayRemedy?: string;
  /** The button of the page. Default: `connect` */
  readonly action?: "login" | "examine" | "connect";
}

const JSON_TYPE = { "content-type": "application/json" };

/** Answers every POST with what `answer` makes of the id of its message, and everything else with 404. */
function posts(answer: (id: unknown) => unknown): RequestListener {
  return async (request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end();
    const { id } = JSON.parse(await text(request)) as { id: unknown };
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer(id)));
  };
}

async function closedPort(): Promise<number> {
  const gone = createServer();
  await new Promise<void>((resolve) => void gone.listen(0, "127.0.0.1", resolve));
  const { port } = gone.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => void gone.close(resolve));
  return port;
}

/** Listens over TLS with a certificate that no authority has signed. */
async function selfSigned(): Promise<string> {
  const secure = createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (_request, response) => void response.end());
  await new Promise<void>((resolve) => void secure.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void secure.close());
  return `https://localhost:${(secure.address() as AddressInfo).port}`; // it listens on a port
}

const NETWORK = "Check the URL, whether the server runs, and the network between (HTTPS_PROXY for a proxy, a firewall, a VPN).";
const NOTHING_ELSE = "Check the path of the URL; / does not answer as an MCP server either.";

/** What is broken, by its name in titles. */
export const BROKEN: Readonly<Record<string, () => Promise<Broken>>> = {
  "is down": async () => ({
    server: `http://127.0.0.1:${await closedPort()}/mcp`,
    problem: /nothing listens there \(ECONNREFUSED\)/,
    remedy: NETWORK,
  }),
  "answers with a web page": async () => ({
    server: `${await listen((_request, response) => response.setHeader("content-type", "text/html").end("<html></html>"))}/mcp`,
    problem: /it answers with a web page/,
    remedy: NOTHING_ELSE,
  }),
  "speaks JSON-RPC without MCP": async () => ({
    server: `${await listen(posts((id) => ({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } })))}/mcp`,
    problem: /it speaks JSON-RPC, but knows neither "server\/discover" nor "initialize": this is not an MCP server/,
    remedy: NOTHING_ELSE,
  }),
  "serves MCP at another path": async () => {
    const server = testServer();
    onTestFinished(() => server.close());
    const mcp = toNodeHandler(server);
    const origin = await listen((request, response) =>
      request.url === "/mcp" ? mcp(request, response) : response.writeHead(404).end(),
    );
    return {
      server: `${origin}/api`,
      problem: /it answers with HTTP 404: there is no MCP endpoint at that path/,
      remedy: `Use ${origin}/mcp: an MCP server answers there.`,
    };
  },
  "wants a login": async () => {
    const as = await startAuthorizationServer();
    onTestFinished(() => as.close());
    const { url } = await protect(as);
    return {
      server: url,
      problem: /wants a login/,
      remedy: `Run: tenon login ${url}`,
      gatewayRemedy: 'Give its entry credentials: "auth" in its "tenon" part, or "headers".',
      action: "login",
    };
  },
  "wants a login, and says not where": async () => {
    const origin = await listen((request, response) => response.writeHead(request.url === "/mcp" ? 401 : 404).end());
    return {
      server: `${origin}/mcp`,
      problem: /it wants a token, and does not publish where to log in/,
      remedy:
        'If you were given a token or an API key, send it: --header "Authorization: Bearer <token>", ' +
        'or the header that the server wants, such as "x-api-key: <key>"; in a configuration file it is "headers". ' +
        "Otherwise its operator must publish which authorization server it trusts (RFC 9728).",
      action: "examine",
    };
  },
  "has a certificate that nobody signed": async () => ({
    server: `${await selfSigned()}/mcp`,
    problem: /its certificate is not to be trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    remedy: "Use a certificate that is trusted, or trust its authority: NODE_EXTRA_CA_CERTS=<file of its certificate>.",
  }),
  "has moved": async () => ({
    server:
      (await listen((_request, response) => response.writeHead(301, { location: "https://moved.example/mcp" }).end())) + "/mcp",
    problem: /it redirects \(301\) to https:\/\/moved\.example\/mcp/,
    remedy: "Use that URL, if it is the server you mean.",
  }),
  hangs: async () => ({
    server: `${await listen(() => undefined)}/mcp`,
    problem: /no response within \d+ ms/,
    remedy: NETWORK,
  }),
  "is behind a proxy that refuses": async () => {
    const proxy = createServer();
    proxy.on("connect", (_request, socket) => void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // it listens on a port
    return {
      server: "https://mcp.example/mcp",
      env: { HTTPS_PROXY: url, NODE_USE_ENV_PROXY: "1" },
      problem: /through the proxy .*, which wants a user and a password/,
      remedy: "Check the URL and the proxy; NO_PROXY=mcp.example goes past it.",
    };
  },
  "ends at once": () =>
    Promise.resolve({
      server: [process.execPath, "-e", "console.error('no key'); process.exit(7)"],
      problem: /it ended at once, with code 7/,
      stderr: "no key",
      remedy: "See what it wrote to stderr; a variable that it needs is given with --env, or as env in a configuration file.",
    }),
};
