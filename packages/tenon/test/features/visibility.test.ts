/** What a caller may not see does not exist for it: not in a list, not in a call, not in an error. */
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { McpServer, Client, JsonObject } from "tenon";
import type { EndpointAuth } from "tenon/auth";
import { createFetchHandler, type Caller } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, type MatrixCell } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const isAda = ({ client }: Caller): boolean => client.info?.name === "ada";

/** A server whose features with "secret" in their names are for ada alone. */
function createServer(options: { pageSize?: number; onError?: (error: unknown) => void } = {}): McpServer {
  const server = testServer(options);
  const visible = isAda;
  server.tool("open", {}, () => "open");
  server.tool("secret", { visible, input: z.object({ n: z.number() }) }, ({ n }) => n);
  server.prompt("open", { complete: { a: () => ["x"] } }, () => "open");
  server.prompt("secret", { visible, complete: { a: () => ["leak"] } }, () => "secret");
  server.resource("a://open", {}, () => "open");
  server.resource("a://secret", { visible }, () => "secret");
  server.resourceTemplate("a://{name}", { complete: { name: () => ["x"] } }, ({ name }) => name);
  server.resourceTemplate(
    "secret://{name}",
    { visible, complete: { name: () => ["leak"] }, list: () => ["secret://leak"] },
    ({ name }) => name,
  );
  return server;
}

const as = (cell: MatrixCell, server: McpServer, name: string): Promise<Client> =>
  cell.connect(server, { clientInfo: { name, version: "1" } });

/** Every name that a client is given. */
async function listed(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  return [
    ...tools.map(({ name }) => name),
    ...prompts.map(({ name }) => name),
    ...resources.map(({ uri }) => uri),
    ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ];
}

/** One request for each way to name a feature. */
const REQUESTS: readonly [string, (name: string) => JsonObject][] = [
  ["tools/call", (name) => ({ name, arguments: { n: "not a number" } })],
  ["prompts/get", (name) => ({ name })],
  ["completion/complete", (name) => ({ ref: { type: "ref/prompt", name }, argument: { name: "a", value: "" } })],
  ["resources/read", (name) => ({ uri: `${name}://x` })],
  [
    "completion/complete",
    (name) => ({ ref: { type: "ref/resource", uri: `${name}://{name}` }, argument: { name: "name", value: "" } }),
  ],
];

/** An error without the name that was asked for. */
const shape = (error: unknown, name: string): string =>
  JSON.stringify({ ...(error as object), message: (error as Error).message }).replaceAll(name, "NAME");

describeMatrix("Visibility", (cell) => {
  it("lists what each caller may see, with two callers in turns", async () => {
    const server = createServer();
    const [ada, bob] = [await as(cell, server, "ada"), await as(cell, server, "bob")];
    for (let round = 0; round < 2; round++) {
      expect(await listed(bob)).toEqual(["open", "open", "a://open", "a://{name}"]);
      expect(await listed(ada)).toEqual([
        "open",
        "secret",
        "open",
        "secret",
        "a://open",
        "a://secret",
        "secret://leak",
        "a://{name}",
        "secret://{name}",
      ]);
    }
  });

  it("a hidden name fails as an unknown one does, by every method that names a feature", async () => {
    const server = createServer();
    const [ada, bob] = [await as(cell, server, "ada"), await as(cell, server, "bob")];
    for (const [method, paramsFor] of REQUESTS) {
      const [hidden, unknown] = [
        await failureOf(bob.request(method, paramsFor("secret"))),
        await failureOf(bob.request(method, paramsFor("nosuch"))),
      ];
      expect(shape(hidden, "secret"), method).toBe(shape(unknown, "nosuch"));
      expect(shape(hidden, "secret"), method).toContain("NAME");
    }
    expect((await ada.callTool("secret", { n: 3 })).text).toBe("3");
    expect(
      (await ada.complete({ ref: { type: "ref/prompt", name: "secret" }, argument: { name: "a", value: "" } })).completion.values,
    ).toEqual(["leak"]);
    expect((await ada.readResource("secret://x")).contents).toHaveLength(1);
  });

  it("a hidden resource is unknown also if a visible template matches its URI", async () => {
    const bob = await as(cell, createServer(), "bob");
    expect((await bob.readResource("a://other")).contents).toHaveLength(1);
    const [hidden, unknown] = [await failureOf(bob.readResource("a://secret")), await failureOf(bob.readResource("c://nosuch"))];
    expect(shape(hidden, "a://secret")).toBe(shape(unknown, "c://nosuch"));
  });

  it("a page is filled with what its caller sees, and a cursor is good for every caller", async () => {
    const server = testServer({ pageSize: 2 });
    for (let n = 0; n < 8; n++) server.tool(`t${n}`, n % 2 ? { visible: isAda } : {}, () => "");
    const [ada, bob] = [await as(cell, server, "ada"), await as(cell, server, "bob")];
    const page = async (client: Client, cursor?: string): Promise<[string[], string | undefined]> => {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
      return [tools.map(({ name }) => name), nextCursor];
    };
    const [first, next] = await page(bob);
    expect(first).toEqual(["t0", "t2"]);
    expect((await page(ada, next))[0]).toEqual(["t3", "t4"]);
    const [second, last] = await page(bob, next);
    expect([second, last]).toEqual([["t4", "t6"], undefined]);
  });

  it("the rule of the server sees the feature, and both rules must agree", async () => {
    const server = createServer();
    server.tool("admin", { tags: ["admin"], visible: isAda }, () => "");
    server.visible(
      (caller, { kind, id, options }) =>
        kind !== "tool" || (id !== "open" && (options.tags === undefined || caller.client.info?.name === "eve")),
    );
    const names = async (name: string): Promise<string[]> =>
      (await (await as(cell, server, name)).listTools()).tools.map((tool) => tool.name);
    expect(await names("ada")).toEqual(["secret"]);
    expect(await names("eve")).toEqual([]);
    expect(() => server.visible(() => true)).toThrow("has a rule already");
  });

  it("a rule that throws, or returns no boolean, hides its feature and is reported", async () => {
    const errors: unknown[] = [];
    const server = testServer({ onError: (error) => errors.push(error) });
    server.tool("open", {}, () => "");
    server.tool(
      "throws",
      {
        visible: () => {
          throw new Error("broken rule");
        },
      },
      () => "",
    );
    server.tool(
      "later",
      {
        visible: (async () => {
          throw new Error("rejected");
        }) as never,
      },
      () => "",
    );
    const client = await as(cell, server, "bob");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["open"]);
    expect((await failureOf(client.callTool("later"))).message).toContain("Unknown tool: later");
    expect(errors.map(String)).toContain("Error: broken rule");
    expect(errors.map(String)).toContainEqual(
      expect.stringContaining("TypeError: A rule of visibility must return true or false at once, and not a promise"),
    );
  });

  it("disable() beats every rule, and what is enabled again obeys its rule", async () => {
    const server = testServer();
    const handle = server.tool("t", { visible: isAda }, () => "called");
    const [ada, bob] = [await as(cell, server, "ada"), await as(cell, server, "bob")];
    handle.disable();
    expect((await failureOf(ada.callTool("t"))).message).toContain("Unknown tool: t");
    handle.enable();
    expect((await ada.callTool("t")).text).toBe("called");
    expect((await failureOf(bob.callTool("t"))).message).toContain("Unknown tool: t");
    handle.update({ visible: () => true });
    expect((await bob.callTool("t")).text).toBe("called");
  });

  it("no list is public if there are rules", async () => {
    const errors: unknown[] = [];
    const server = createServer({ onError: (error) => errors.push(error) });
    server.use("tools/list", (next) => async (ctx) => ({ ...(await next(ctx)), cacheScope: "public", ttlMs: 1000 }));
    const client = await as(cell, server, "bob");
    for (let n = 0; n < 2; n++) {
      const { cacheScope } = await client.listTools();
      expect(cacheScope).toBe(cell.stateless ? "private" : undefined);
    }
    expect(errors.map(String)).toEqual([expect.stringContaining('"cacheScope" of "tools/list" was changed to "private"')]);
  });

  it("a rule of a server without tools, and a first rule while it serves, hold at once", async () => {
    const server = testServer();
    server.tool("t", {}, () => "");
    const client = await as(cell, server, "bob");
    expect((await client.listTools()).tools).toHaveLength(1);
    server.tool("late", { visible: isAda }, () => "");
    expect((await client.listTools()).tools).toHaveLength(1);
    expect((await failureOf(client.callTool("late"))).message).toContain("Unknown tool: late");
  });
});

// ---- over HTTP, with scopes: the status and the bytes ----

const AUTH: EndpointAuth = {
  authorize: (request) => {
    const name = request.header("authorization") ?? "nobody";
    return {
      auth: { issuer: "https://as.example", scopes: name === "ada" ? ["write"] : [], claims: {} },
      principal: name,
      until: Infinity,
    };
  },
  insufficientScope: () => ({ status: 403, headers: ["www-authenticate", "Bearer"], message: "Insufficient scope" }),
};
const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

async function post(
  server: McpServer,
  who: string,
  method: string,
  params: JsonObject,
  name: string,
  more: Record<string, string> = {},
): Promise<string> {
  const handler = createFetchHandler(server, { auth: AUTH });
  onTestFinished(() => handler.close());
  const response = await handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        authorization: who,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": name,
        ...more,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: META } }),
    }),
  );
  const headers = JSON.stringify([...response.headers].filter(([header]) => header !== "date"));
  return `${response.status} ${headers} ${await response.text()}`;
}

describe("Hidden features that need scopes, or arguments in headers", () => {
  const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } as const;
  const create = (): McpServer => {
    const server = testServer({ onError: () => undefined });
    const options = { visible: ({ principal }: Caller) => principal === "ada" || principal === "carl", scopes: ["write"] };
    server.tool("secret", { ...options, input }, () => "done");
    server.prompt("secret", options, () => "done");
    server.resource("a://secret", options, () => "done");
    return server;
  };
  const cases: readonly [string, (name: string) => JsonObject, (name: string) => string][] = [
    ["tools/call", (name) => ({ name, arguments: { region: "eu" } }), (name) => name],
    ["prompts/get", (name) => ({ name }), (name) => name],
    ["resources/read", (name) => ({ uri: `a://${name}` }), (name) => `a://${name}`],
  ];

  it.each(cases)(
    "%s: the response is the one for an unknown name, with status and headers",
    async (method, paramsFor, nameOf) => {
      const [hidden, unknown] = [
        await post(create(), "bob", method, paramsFor("secret"), nameOf("secret")),
        await post(create(), "bob", method, paramsFor("nosuch"), nameOf("nosuch")),
      ];
      expect(hidden.replaceAll("secret", "nosuch")).toBe(unknown);
      // The rule lets carl pass, whose token lacks the scope.
      expect(await post(create(), "carl", method, paramsFor("secret"), nameOf("secret"))).toMatch(/^403 /);
    },
  );

  it("a visible tool is still compared with its headers", async () => {
    const call = (region: string): Promise<string> =>
      post(create(), "ada", "tools/call", { name: "secret", arguments: { region: "eu" } }, "secret", {
        "mcp-param-region": region,
      });
    expect(await call("eu")).toMatch(/^200 .*done/);
    expect(await call("us")).toMatch(/^400 .*-32020/);
  });
});
