import { MCPServer } from "mcp-use";
import { createJwtVerifier, oauthCustomProvider } from "mcp-use/oauth";

const { ISSUER: issuer, AUDIENCE, PORT } = process.env;
const jwksUrl = new URL(`${issuer}/jwks`);
const oauth = oauthCustomProvider({
  resource: AUDIENCE,
  createTokenVerifier: (resource) =>
    createJwtVerifier({ issuer, jwksUrl, resource }),
  oauthMetadata: {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
  },
  mapAuthInfo: ({ extra }) => ({
    user: { id: extra.payload.sub },
    payload: extra.payload,
    permissions: [],
  }),
});
const server = new MCPServer({ name: "files", version: "1.0.0", oauth });
const about = { name: "delete", description: "Deletes" };
server.tool(about, async (_, { auth }) => {
  const isAllowed = auth.scopes.includes("files:write");
  const text = isAllowed ? `For ${auth.user.id}` : "No.";
  return { content: [{ type: "text", text }], isError: !isAllowed };
});
await server.listen(Number(PORT));
