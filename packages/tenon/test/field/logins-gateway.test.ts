// The credentials of a gateway at providers that deviate: the parameter `resource`, and an issuer that is named with a slash.
import { describe, expect, test } from "vitest";
import { callerTokenExchange, type CallerAuth } from "tenon/gateway";
import {
  clientWith,
  companyGateway,
  companyServer,
  GATEWAY_CLIENT,
  identityProvider,
  TOKEN_EXCHANGE,
} from "../gateway/company.ts";

interface Asked {
  /** The requests for an exchange. */
  readonly requests: readonly Record<string, string>[];
  readonly server: string;
  /** What a tool of the server said, or the failure of the call. */
  readonly outcome: unknown;
}

async function exchanged(make: (issuer: string) => CallerAuth): Promise<Asked> {
  const idp = await identityProvider();
  const server = await companyServer(idp.issuer);
  const served = await companyGateway(idp.issuer, () => ({
    servers: { crm: { url: server.url, auth: make(idp.issuer) } },
    onError: () => undefined,
  }));
  const client = await clientWith(served.url, await idp.token("ada", served.url));
  const outcome: unknown = await client.callTool("crm__who").then(
    ({ text }) => text,
    (error: unknown) => error,
  );
  return { requests: idp.asked(TOKEN_EXCHANGE), server: server.url, outcome };
}

describe("a token exchange of a gateway", () => {
  test("names the resource of the server, and takes an issuer with a slash for the same [FD-13]", async () => {
    const { requests, server, outcome } = await exchanged((issuer) =>
      callerTokenExchange({ issuer: `${issuer}/`, client: GATEWAY_CLIENT, scope: "read" }),
    );
    expect(outcome).toMatch(/^ada by /);
    expect(requests.map(({ resource }) => resource)).toEqual([server]);
  });

  test.each([
    ["another text", "urn:crm"],
    ["nothing", false],
  ] as const)("names %s with the option resource [FD-36]", async (_what, resource) => {
    const { requests } = await exchanged((issuer) =>
      callerTokenExchange({ issuer, client: GATEWAY_CLIENT, scope: "read", resource }),
    );
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(request["resource"]).toBe(resource === false ? undefined : resource);
  });

  test("does not go to an issuer that differs in more than the slash", async () => {
    const { requests } = await exchanged((issuer) =>
      callerTokenExchange({ issuer: `${issuer}/x`, client: GATEWAY_CLIENT, scope: "read" }),
    );
    expect(requests).toEqual([]);
  });
});
