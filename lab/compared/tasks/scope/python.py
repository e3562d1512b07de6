import os

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider, require_scopes
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_access_token

issuer, audience = os.environ["ISSUER"], os.environ["AUDIENCE"]
verifier = JWTVerifier(
    jwks_uri=f"{issuer}/jwks",
    issuer=issuer,
    audience=audience,
    algorithm="ES256",
)
auth = RemoteAuthProvider(
    token_verifier=verifier,
    authorization_servers=[issuer],
    base_url=audience.removesuffix("/mcp"),
)
mcp = FastMCP("files", version="1.0.0", auth=auth)


@mcp.tool(auth=require_scopes("files:write"))
def delete() -> str:
    return f"For {get_access_token().claims['sub']}"


mcp.run("http", port=int(os.environ["PORT"]))
