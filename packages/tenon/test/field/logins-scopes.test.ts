// Scopes that must be requested in a longer form than tokens name them: what a server tells its clients, and what a client asks
// for.
import { describe, expect, test } from "vitest";
import { bearer, type BearerOptions } from "tenon/auth";
import { login, providerWorld } from "./providers.ts";

const BASE = { issuer: "https://login.example", audience: "https://mcp.example/mcp" } as const;
const auth = { issuer: BASE.issuer, subject: "ann", scopes: ["read"], claims: {} } as const;

/** The scopes of the metadata, of a 401, and of a 403 for a tool that needs `write`. */
function told(options: Partial<BearerOptions>): readonly unknown[] {
  const made = bearer({ ...BASE, ...options });
  const scopeIn = ({ headers }: { readonly headers: readonly string[] }): string | undefined =>
    /scope="([^"]*)"/.exec(headers.join())?.[1];
  const first = made.authorize({ method: "POST", url: "/mcp", header: () => undefined });
  if (!("status" in first)) throw new Error("A request without a token must be refused at once");
  return [made.metadata.document["scopes_supported"], scopeIn(first), scopeIn(made.insufficientScope(["write"], auth))];
}

describe("what a server tells its clients to request [FD-29]", () => {
  const long = (name: string): string => `api://app/${name}`;
  const rows: Record<string, [Partial<BearerOptions>, readonly unknown[]]> = {
    "as tokens name them": [{ scopes: ["read"] }, [["read"], "read", "read write"]],
    "the forms of scopesSupported": [
      { scopes: ["read"], scopesSupported: ["read", "write"].map(long) },
      [["read", "write"].map(long), long("read"), `${long("read")} ${long("write")}`],
    ],
    "forms by name": [{ scopes: ["read"], scopeForms: { read: "urn:r", write: "urn:w" } }, [["urn:r"], "urn:r", "urn:r urn:w"]],
    "a scope that is among them in both forms": [
      { scopes: ["read"], scopesSupported: ["read", long("read")] },
      [["read", long("read")], "read", "read write"],
    ],
    "two that could be meant": [
      { scopes: ["read"], scopesSupported: ["a/read", "b/read"] },
      [["a/read", "b/read"], "read", "read write"],
    ],
    "one that only ends alike": [
      { scopes: ["read"], scopesSupported: ["api://app/spread"] },
      [["api://app/spread"], "read", "read write"],
    ],
  };
  test.each(Object.keys(rows))("%s", (what) => {
    const [options, expected] = rows[what]!;
    expect(told(options)).toEqual(expected);
  });

  test("a form that no scope can have is refused", () => {
    expect(() => bearer({ ...BASE, scopeForms: { read: "two words" } })).toThrow(/"scopeForms"/);
  });
});

test("a client whose option names the long form asks for it, though the challenge names the short one [FD-29]", async () => {
  const client = { client_id: "app", token_endpoint_auth_method: "none", redirect_uris: ["http://127.0.0.1/callback"] } as const;
  const { as, use, asked } = await providerWorld("entra", {
    server: { path: "/tenant/v2.0", clients: [client] },
    bearer: { scopes: ["read"] },
  });
  const known = { client: { id: "app" }, issuer: as.issuer, assumePkce: true, resource: false } as const;
  expect(await use(login({ ...known, scope: "api://app/read api://app/write" }), "write")).toBe("written with read write");
  for (const { parameters } of asked("authorize")) expect(parameters["scope"]).not.toMatch(/(^| )(read|write)/);
});
