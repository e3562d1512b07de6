import { equal, match, rejects } from "node:assert/strict";
import { startAuthorizationServer } from "tenon/testing";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  const login = await startAuthorizationServer();
  const other = await startAuthorizationServer();
  for (const each of [login, other]) bench.later(() => each.close());
  const audience = "https://files.example.com/mcp";
  const { url } = await bench.serve("server.ts", { env: { ISSUER: login.issuer, AUDIENCE: audience } });
  const tokenOf = (more) => login.issueAccessToken({ subject: "ann", audience, scopes: [], ...more });

  const refused = await fetch(url, { method: "POST" });
  equal(refused.status, 401);
  match(refused.headers.get("www-authenticate") ?? "", /resource_metadata/, "a client cannot find out where to log in");
  const strangers = {
    "of another audience": await tokenOf({ audience: "https://other.example.com/mcp" }),
    "of another issuer": await other.issueAccessToken({ subject: "ann", audience, scopes: [] }),
    "that nothing signed": `${(await tokenOf({})).split(".").slice(0, 2).join(".")}.${"A".repeat(43)}`,
  };
  for (const [what, token] of Object.entries(strangers))
    await rejects(() => bench.http(url, { token }), `a token ${what} is accepted`);
  for (const revision of BOTH) {
    const reader = await bench.http(url, { revision, token: await tokenOf({}) });
    equal(textOf(await reader.callTool({ name: "whoami" })), "ann");
    const denied = await reader.callTool({ name: "erase" }).catch(() => ({ isError: true }));
    equal(denied.isError, true, "erase needs no scope");
    const writer = await bench.http(url, { revision, token: await tokenOf({ scopes: ["files:write"] }) });
    equal(textOf(await writer.callTool({ name: "erase" })), "erased");
  }
}
