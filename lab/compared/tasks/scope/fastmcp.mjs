import { FastMCP } from "fastmcp";
import { createRemoteJWKSet, jwtVerify } from "jose";

const { ISSUER: issuer, AUDIENCE: audience, PORT } = process.env;
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));

const server = new FastMCP({
  name: "files",
  version: "1.0.0",
  authenticate: async ({ headers }) => {
    const token = headers.authorization?.replace(/^Bearer /i, "") ?? "";
    try {
      const { payload } = await jwtVerify(token, keys, { issuer, audience });
      const scopes = payload.scope?.split(" ") ?? [];
      return { subject: payload.sub, scopes };
    } catch {
      throw new Response(null, { status: 401 });
    }
  },
  oauth: {
    enabled: true,
    protectedResource: {
      resource: audience,
      authorizationServers: [issuer],
    },
  },
});
server.addTool({
  name: "delete",
  canAccess: ({ scopes }) => scopes.includes("files:write"),
  execute: async (_, { session }) => `For ${session.subject}`,
});
const httpStream = { port: Number(PORT) };
await server.start({ transportType: "httpStream", httpStream });
