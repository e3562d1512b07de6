// Users log in at a provider that registers no MCP clients, as GitHub does. Here the provider is a small server that knows one user, so that
// the program runs without an account. With GitHub, `provider` is github({ clientId, clientSecret }).
import { createServer } from "node:http";
import { oauth } from "tenon/auth";
import { createAuthorizationServer } from "tenon/authorization-server";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";

const port = Number(process.env["PORT"] ?? 3000);
const origin = `http://127.0.0.1:${port}`;

// The provider: a login page that knows its user already, an endpoint for tokens, and one that says who the user is.
const provider = createServer((request, response) => {
  const { pathname, searchParams } = new URL(
    request.url ?? "",
    "http://localhost",
  );
  const back = new URL(
    `${origin}/callback?code=once&state=${searchParams.get("state") ?? ""}`,
  );
  if (pathname === "/authorize") {
    response.writeHead(302, { location: back.href }).end();
    return;
  }
  const body =
    pathname === "/token"
      ? { access_token: "for-one-request", token_type: "bearer" }
      : { id: 1, login: "ada" };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify(body));
}).listen(port + 1, "127.0.0.1");
const at = `http://127.0.0.1:${port + 1}`;

const login = await createAuthorizationServer({
  issuer: origin,
  resource: `${origin}/mcp`,
  scopes: { "notes:read": "Read your notes" },
  provider: {
    name: "Codehub",
    issuer: at,
    authorizationEndpoint: `${at}/authorize`,
    tokenEndpoint: `${at}/token`,
    userEndpoint: `${at}/user`,
    clientId: "notes",
    clientSecret: "known to the provider and to this program",
  },
  allowUser: ({ claims }) => claims["login"] === "ada",
  claims: ({ claims }) => ({ login: claims["login"] ?? "" }),
});

const server = new McpServer({ name: "notes", version: "1.0.0" });
server.tool(
  "read",
  {},
  (_input, ctx) => `The notes of ${String(ctx.auth?.claims["login"])}`,
);
const endpoint = await serveHttp(server, {
  port,
  auth: login.protect({ scopes: ["notes:read"] }),
});

/** The user's browser, which agrees to the consent page. A real one is opened by `openBrowser` of `tenon/node`. */
const cookies = new Map<string, string>();
async function browse(url: URL, form?: URLSearchParams): Promise<void> {
  const cookie = [...cookies]
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
  const headers = { accept: "text/html", cookie, ...(form && { origin }) };
  const response = await fetch(url, {
    redirect: "manual",
    headers,
    ...(form && { method: "POST", body: form }),
  });
  for (const line of response.headers.getSetCookie())
    cookies.set(
      line.slice(0, line.indexOf("=")),
      line.slice(line.indexOf("=") + 1).split(";")[0]!,
    );
  const location = response.headers.get("location");
  if (location !== null) return browse(new URL(location, url));
  const proof = /name="proof" value="([^"]*)"/.exec(
    await response.text(),
  )?.[1];
  if (proof === undefined) return;
  console.log("The user is asked, and agrees");
  return browse(url, new URLSearchParams({ proof, decision: "allow" }));
}

const client = await connect(endpoint.url, {
  auth: oauth({ open: (page) => browse(new URL(page)) }),
});
console.log((await client.callTool("read")).text);

await client.close();
await endpoint.close();
provider.close();
provider.closeAllConnections();
