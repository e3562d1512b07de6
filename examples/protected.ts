// A server that takes access tokens, and a user who gets one. The authorization server is the one for tests: it agrees to
// everything, so put your own issuer in its place.
import { bearer, oauth } from "tenon/auth";
import { connect } from "tenon/client";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { startAuthorizationServer } from "tenon/testing";

const port = Number(process.env["PORT"] ?? 3000);
const login = await startAuthorizationServer({ subject: "ann" });

const server = new McpServer({ name: "notes", version: "1.0.0" });
server.tool(
  "read",
  { description: "Read your notes" },
  (_input, ctx) => `The notes of ${ctx.auth?.subject}`,
);
server.tool(
  "clear",
  { description: "Throw your notes away", scopes: ["notes:write"] },
  (_input, ctx) => `Cleared for ${ctx.auth?.subject}`,
);

const http = await serveHttp(server, {
  port,
  auth: bearer({
    issuer: login.issuer,
    audience: `http://127.0.0.1:${port}/mcp`,
    scopes: ["notes:read"],
  }),
});

// Without a token the door is closed, and says where the key is.
const refused = await fetch(http.url, { method: "POST" });
console.log(
  refused.status,
  refused.headers.get("www-authenticate")?.split(",")[0],
);

// The user's browser: it follows the page to wherever it leads, which is back to the client.
const auth = oauth({
  open: async (page, signal) => void (await fetch(page, { signal })),
});
const client = await connect(http.url, { auth });
console.log((await client.callTool("read")).text);
// This one needs more than the first token allows: the client gets another one, and calls again.
console.log((await client.callTool("clear")).text);

await client.close();
await http.close();
await login.close();
