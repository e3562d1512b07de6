/**
 * Principals whose names an identity provider lets users choose: line breaks, quotes, and the name that the gateway gives its own
 * machine.
 */
import { expect, it, onTestFinished } from "vitest";
import { bearerToken } from "tenon/auth";
import { connect, McpServer, type Client } from "tenon";
import { serveHttp } from "tenon/node";
import { perCaller, type AuditRecord, type Gateway } from "tenon/gateway";
import { createFetchHandler, type EndpointAuth } from "tenon/server";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

/** As `byName`, with names that a header cannot hold as they are. */
const byEncodedName: EndpointAuth = {
  ...byName,
  authorize: (request) => ({
    auth: { issuer: "https://as.example", scopes: [], claims: {} },
    principal: decodeURIComponent(request.header("authorization")!),
    until: Infinity,
  }),
};

function counter(): McpServer {
  const server = testServer({ name: "counter" });
  server.tool("count", {}, () => "counted");
  return server;
}

/** Connects a client of that principal. */
function callersOf(gateway: Gateway): (principal: string) => Promise<Client> {
  const handler = createFetchHandler(gateway, { auth: byEncodedName });
  onTestFinished(() => handler.close());
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  return async (principal) => {
    const headers = { authorization: encodeURIComponent(principal) };
    const client = await connect({ url: "http://localhost/mcp", headers, fetch }, { revision: "2025-11-25" });
    onTestFinished(() => client.close());
    return client;
  };
}

it("a line break in a name makes no caller the owner of another one's connections", async () => {
  const gateway = gatewayOf({ servers: { up: { target: counter(), revision: "2025-11-25" } }, share: "principal" });
  const caller = callersOf(gateway);
  for (const name of ["ada\n1", "ada\n2", 'ada\n"3"', "ada\n{}", "ada"])
    expect((await (await caller(name)).callTool("up__count")).text).toBe("counted");
});

it("an audit record stays one line, whatever the name", async () => {
  const lines: string[] = [];
  const write = (record: AuditRecord): void => void lines.push(JSON.stringify(record));
  const gateway = gatewayOf({ servers: { up: counter() }, audit: { write } });
  const name = 'ada\n{"principal":"bob"}\u2028\u0000';
  await (await callersOf(gateway)(name)).callTool("up__count");
  expect(lines.map((line) => (JSON.parse(line) as AuditRecord).principal)).toContain(name);
  expect(lines.join("").split(/\r|\n/)).toHaveLength(1);
});

it("a principal with the name of the gateway's own machine does not get its credentials", async () => {
  const made: string[] = [];
  const auth = perCaller(({ principal }) => {
    made.push(principal);
    return bearerToken("secret");
  });
  const behind = createFetchHandler(counter());
  onTestFinished(() => behind.close());
  const up = {
    url: "http://localhost/mcp",
    fetch: (url: string | URL, init?: RequestInit) => behind(new Request(url, init)),
    auth,
  };
  const gateway = gatewayOf({ servers: { up } });
  const caller = callersOf(gateway);
  await expect((await caller("local")).callTool("up__count")).rejects.toMatchObject({
    code: -32603,
    data: { server: "up", reason: "login" },
  });
  expect(made).toEqual([]);
  expect((await (await clientOf(gateway)).callTool("up__count")).text).toBe("counted");
  expect((await (await caller('"local"')).callTool("up__count")).text).toBe("counted");
  expect([...new Set(made)]).toEqual(["local", '"local"']);
});

it.each([
  ["nothing is said of callers on this machine", undefined, {}, []],
  ["the operator gives its logins to them", true, {}, ["local"]],
  ["a proxy says that the caller is elsewhere", true, { "x-forwarded-for": "203.0.113.9" }, []],
  ["a proxy says which host was asked", true, { "x-forwarded-host": "gateway.example.com" }, []],
  ["a proxy says who is behind it", true, { "cf-connecting-ip": "203.0.113.9" }, []],
] as const)(
  "credentials of the user of this machine, over HTTP without a token: %s [R15]",
  async (_case, localLogins, headers, expected) => {
    const made: string[] = [];
    const auth = perCaller(({ principal }) => {
      made.push(principal);
      return bearerToken("secret");
    });
    const behind = await serveHttp(counter(), { port: 0 });
    onTestFinished(() => behind.close());
    const gateway = gatewayOf({ servers: { up: { url: behind.url, auth } }, ...(localLogins !== undefined && { localLogins }) });
    const served = await serveHttp(gateway, { port: 0 });
    onTestFinished(() => served.close());
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const client = await connect({ url: served.url, headers }, { revision });
      onTestFinished(() => client.close());
      const text = await client.callTool("up__count").then(
        (result) => result.text,
        (error: unknown) => String(error),
      );
      expect(text).toMatch(expected.length > 0 ? /^counted$/ : /localLogins/);
    }
    expect([...new Set(made)]).toEqual(expected);
  },
);
