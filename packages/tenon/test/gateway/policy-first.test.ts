/**
 * The policy is asked before a server is connected, started or asked to log in, and what it denies cannot be told from what does
 * not exist.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client, type ConnectOptions, type InputRequiredResult, type ProtocolVersion } from "tenon";
import { perCaller, type AuditRecord, type GatewayOptions, type Policy } from "tenon/gateway";
import { bearerToken } from "tenon/auth";
import { defineExtension } from "tenon/ext";
import { tasks } from "tenon/ext/tasks";
import { createFetchHandler } from "tenon/server";
import * as z from "zod";
import { rawTasks } from "./matrix/upstream.ts";
import { byName, clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const FAMILIES: readonly ProtocolVersion[] = ["2025-11-25", "2026-07-28"];
const PAIRS = FAMILIES.flatMap((front) => FAMILIES.map((behind) => ({ front, behind })));

/** Policies that deny all of the server "secret" to all but the boss. */
const POLICIES: [string, Policy][] = [
  ["by server", ({ server }) => server !== "secret"],
  ["by principal", (facts) => facts.server !== "secret" || facts.principal === "boss"],
  ["of everything", () => false],
];
/** A policy that reads more before it denies. */
const BY_NAME: Policy = ({ server, name, kind, annotations }) =>
  server !== "secret" && !name.startsWith("drop") && (kind !== "tool" || annotations["destructiveHint"] !== true);

function secretServer(): McpServer {
  const server = testServer({ name: "secret", instructions: "The payroll of the company" });
  server.tool("export", {}, () => "all");
  server.prompt("letter", {}, () => "text");
  server.resource("pay://all", {}, () => "all");
  return server;
}

describe.each(PAIRS)("A client of $front and a server of $behind", ({ front, behind }) => {
  it.each(POLICIES)(
    "a server that is denied %s is never connected, is in no list and no text, and fails as a name that does not exist",
    async (_, policy) => {
      const audit: AuditRecord[] = [];
      let connections = 0;
      const target = (): McpServer => (connections++, secretServer());
      const gateway = gatewayOf({
        servers: { secret: { target, revision: behind }, down: { command: "/nonexistent" } },
        policy,
        audit: { write: (record) => void audit.push(record) },
      });
      const client = await clientOf(gateway, { revision: front });
      const denied = await failures(client, "secret");
      const absent = await failures(client, "absent");
      expect(denied.map(({ text }) => text)).toEqual(absent.map(({ text }) => text));
      for (const list of [await client.listTools(), await client.listPrompts(), await client.listResources()])
        expect(JSON.stringify(list)).not.toMatch(/secret|pay:/);
      expect(JSON.stringify([client.instructions, client.serverCapabilities])).not.toContain("payroll");
      expect(connections).toBe(0);
      const calls = audit.filter(({ name }) => name === "secret__export");
      expect(calls).toMatchObject([{ server: "secret", outcome: "denied" }]);
    },
  );

  it("a name that the policy denies and one that the server lacks fail in one text, while the server is connected", async () => {
    const server = secretServer();
    server.tool("drop", {}, () => "dropped");
    const gateway = gatewayOf({ servers: { s: { target: server, revision: behind } }, policy: BY_NAME });
    const client = await clientOf(gateway, { revision: front });
    expect((await client.callTool("s__export")).text).toBe("all");
    for (const name of ["s__drop", "s__nosuch", "nosuch__x"])
      await expect(client.callTool(name)).rejects.toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
    await expect(client.getPrompt("s__drop")).rejects.toMatchObject({ code: -32602, message: "Unknown prompt: s__drop" });
    await expect(client.getPrompt("s__nosuch")).rejects.toMatchObject({ code: -32602, message: "Unknown prompt: s__nosuch" });
  });

  it("the instructions of a server are shown to those who see an entry of it", async () => {
    const servers = { secret: { target: secretServer(), revision: behind } };
    const policy: Policy = ({ server, name, principal }) => server !== "secret" || (principal === "boss" && name === "export");
    const gateway = gatewayOf({ servers, policy });
    await gateway.start();
    const handler = createFetchHandler(gateway, { auth: byName });
    onTestFinished(() => handler.close());
    for (const [name, expected] of [
      ["boss", "# secret\nThe payroll of the company"],
      ["eve", undefined],
    ] as const) {
      const fetch = ((url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof globalThis.fetch;
      const client = await connect({ url: "http://localhost/mcp", headers: { authorization: name }, fetch }, { revision: front });
      onTestFinished(() => client.close());
      expect(client.instructions).toBe(expected);
    }
  });
});

it("a denied call starts no program and asks for no credentials, also if the policy looks at names and annotations", async () => {
  const owners: string[] = [];
  const auth = perCaller(({ principal }) => (owners.push(principal), bearerToken(principal)));
  const servers: GatewayOptions["servers"] = {
    secret: { url: "http://localhost:7/mcp", auth, fetch: () => Promise.reject(new TypeError("sent")) },
  };
  const errors: Error[] = [];
  const gateway = gatewayOf({ servers, policy: BY_NAME, onError: (error) => errors.push(error) });
  const client = await clientOf(gateway);
  await expect(client.callTool("secret__export")).rejects.toThrow(/^Unknown tool: secret__export$/);
  await expect(client.getPrompt("secret__letter")).rejects.toThrow(/^Unknown prompt: secret__letter$/);
  expect([owners, errors]).toEqual([[], []]);
});

it("a policy by an annotation is asked again when the server has listed it", async () => {
  const server = testServer();
  server.tool("read", { annotations: { readOnlyHint: true } }, () => "read");
  server.tool("write", {}, () => "written");
  const client = await clientOf(
    gatewayOf({ servers: { s: server }, policy: ({ annotations }) => annotations["readOnlyHint"] === true }),
  );
  expect((await client.callTool("s__read")).text).toBe("read");
  await expect(client.callTool("s__write")).rejects.toThrow(/^Unknown tool: s__write$/);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["s__read"]);
});

/** Policies that deny all of the server "secret", and look at other facts first, or after that. */
const LOOKING: [string, Policy][] = [
  ["by server", ({ server }) => server !== "secret"],
  ["after a look at the kind", ({ server, kind }) => kind.length > 0 && server !== "secret"],
  ["but for a kind that nothing is of", ({ server, kind }) => server !== "secret" || (kind as string) === "root"],
];

describe.each(FAMILIES)("A client of %s", (revision) => {
  it.each(LOOKING)("connects a server that is denied %s by no method", async (_what, policy) => {
    const connections: string[] = [];
    const target = (): McpServer => (connections.push("opened"), secretServer());
    const servers = { secret: { target }, open: testServer() };
    const client = await clientOf(gatewayOf({ servers, policy, search: true }), { revision, roots: [{ uri: "file:///a" }] });
    const uri = "secret+pay://all";
    const asked: Record<string, () => Promise<unknown>> = {
      "tools/list": () => client.listTools(),
      "resources/list": () => client.listResources(),
      "resources/templates/list": () => client.listResourceTemplates(),
      "resources/subscribe": () => client.subscribeResource(uri),
      listen: async () => (await client.listen({ resources: [uri, "pay://all"] })).close(),
      "completion/complete": () =>
        client.complete({ ref: { type: "ref/resource", uri: "secret+pay://{x}" }, argument: { name: "x", value: "" } }),
      "resources/read": () => client.readResource("pay://all"),
      search_tools: () => client.callTool("search_tools", { queries: ["export all"] }),
      call_tool: () => client.callTool("call_tool", { name: "secret__export", arguments: {} }),
      "tools/call": () => client.callTool("secret__export.v1"),
      "logging/setLevel": () => client.setLoggingLevel("debug"),
      "notifications/roots/list_changed": () => client.sendRootsListChanged(),
      "x/run": () => client.request("x/run" as never, { name: "secret__export", uri } as never),
    };
    for (const [method, ask] of Object.entries(asked)) {
      const said = await ask().then((result) => JSON.stringify([result]), String);
      expect(said, method).not.toContain("payroll");
      expect(connections, method).toEqual([]);
    }
  });
});

/** The errors of all that names something of a server, without its name. */
async function failures(client: Client, server: string): Promise<{ readonly text: string }[]> {
  const asked = [
    client.callTool(`${server}__export`),
    client.getPrompt(`${server}__letter`),
    client.request("completion/complete", {
      ref: { type: "ref/prompt", name: `${server}__letter` },
      argument: { name: "a", value: "" },
    }),
    client.readResource(`${server}+pay://all`),
  ];
  const errors = await Promise.all(
    asked.map((one) =>
      one.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  return errors.map((error) => ({ text: JSON.stringify([String(error), error]).replaceAll(server, "server") }));
}

/** A server with a method of an extension, a client's options for it, and the params that the server got. */
function extended(): { server: McpServer; got: unknown[]; options: ConnectOptions } {
  const got: unknown[] = [];
  const runs = defineExtension({
    id: "com.example/runs",
    methods: [{ method: "x/run", kind: "request", sender: "client" }],
    server: () => ({
      handlers: {
        "x/run": ({ params: { uri, name } }) => {
          got.push({ uri, name });
          return {};
        },
      },
    }),
  });
  const server = testServer({ name: "files", extensions: [runs] });
  for (const name of ["list", "drop"]) server.tool(name, {}, () => name);
  server.resource("note:///public", {}, () => "text");
  server.resource("note:///secret", {}, () => "text");
  server.resourceTemplate("page:///{+path}", {}, () => "text");
  return { server, got, options: { extensions: [runs] } };
}

describe("A method of an extension", () => {
  it.each([
    { name: "files__drop" },
    { uri: "note:///public", name: "files__drop" },
    { uri: "note:///secret", name: "files__list" },
    { name: "files__list", tool: "drop" },
    { name: "files__list", tool: "files__drop" },
    { name: "files__list", steps: [{ run: "drop" }] },
    { name: "files__list", steps: [{ run: "drop.v2" }] },
    { uri: "note:///public", also: ["note:///secret"] },
    { uri: "note:///public", also: ["page:///secret/plans"] },
    { uri: "note:///public", also: { what: "files+page:///secret/plans" } },
    { name: "files__list", calls: { drop: {} } },
    { name: "files__list", calls: [{ files__drop: 1 }] },
    { name: "files__list", _meta: { "x/then": ["drop"] } },
  ])("is refused if one of its members names what the policy denies, and the audit log has it: %j", async (params) => {
    const { server, got, options } = extended();
    const audit: AuditRecord[] = [];
    const policy: Policy = ({ name }) => !name.startsWith("drop") && !name.includes("secret");
    const client = await clientOf(
      gatewayOf({ servers: { files: server }, policy, audit: { write: (record) => void audit.push(record) } }),
      options,
    );
    await client.listTools();
    await expect(client.request("x/run", params)).rejects.toMatchObject({ code: expect.toBeOneOf([-32602, -32002]) });
    expect(got).toEqual([]);
    expect(audit.at(-1)).toMatchObject({ method: "x/run", server: "files", outcome: "denied" });
  });

  it("is refused if its members lead to two servers, also without a policy", async () => {
    const { server, options } = extended();
    const client = await clientOf(gatewayOf({ servers: { files: server, others: extended().server } }), options);
    await client.listTools();
    await expect(client.request("x/run", { uri: "note:///public", name: "others__list" })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("that passes is in the audit log with its server, and its names are the server's", async () => {
    const { server, got, options } = extended();
    const audit: AuditRecord[] = [];
    const client = await clientOf(
      gatewayOf({
        servers: { files: server },
        policy: ({ name }) => name !== "drop",
        audit: { write: (record) => void audit.push(record) },
      }),
      options,
    );
    await client.request("x/run", {
      uri: "note:///public",
      name: "files__list",
      drop: ["https://elsewhere.example/drop", "page:///plans"],
    });
    expect(got).toEqual([{ uri: "note:///public", name: "list" }]);
    expect(audit.at(-1)).toMatchObject({ method: "x/run", server: "files", outcome: "ok" });
  });
});

describe.each(FAMILIES)("What a caller began at a server of %s that the policy denies by now", (behind) => {
  const revision = "2026-07-28";
  const asking: ConnectOptions = { revision, limits: { maxRounds: 0 }, onElicit: () => ({ action: "accept", content: {} }) };

  /** A client of a new gateway with the same keys, how often that has connected the server, and its audit log. */
  async function place(
    policy: Policy,
    options: ConnectOptions,
  ): Promise<{ client: Client; opened: string[]; audit: AuditRecord[] }> {
    const server = testServer({ extensions: [tasks({ pollInterval: 10 })] });
    server.tool("ask", {}, async (_input, ctx) => (await ctx.elicit("q", { message: "?", schema: z.object({}) })).action);
    server.tool("job", { task: true }, () => "done");
    const opened: string[] = [];
    const audit: AuditRecord[] = [];
    const gateway = gatewayOf({
      servers: { s: { target: () => (opened.push("s"), server), revision: behind } },
      ...{ requestState: { keys: ["k".repeat(32)] }, share: "principal", policy },
      audit: { write: (record) => void audit.push(record) },
    });
    return { client: await clientOf(gateway, options), opened, audit };
  }

  it.each<[string, Policy]>([
    ["all of it", () => false],
    ["its tools by name", ({ kind, name }) => kind !== "tool" || !["ask", "job"].includes(name)],
  ])("connects nothing when it goes on: %s", async (_what, policy) => {
    const before = await place(() => true, asking);
    const asked = await before.client.request("tools/call", { name: "s__ask", arguments: {} });
    const { requestState, inputRequests } = asked as unknown as InputRequiredResult;
    const inputResponses = { [Object.keys(inputRequests!)[0]!]: { action: "accept", content: {} } };
    const after = await place(policy, asking);
    const goOn = after.client.request("tools/call", { name: "s__ask", arguments: {}, requestState, inputResponses });
    await expect(goOn).rejects.toMatchObject({ code: -32602, message: "Unknown tool: s__ask" });
    expect(after.opened).toEqual([]);
    expect(after.audit.at(-1)).toMatchObject({ server: "s", outcome: "denied" });
  });

  it("is no task for it, and the audit log has the server of each request about one", async () => {
    const before = await place(() => true, { revision, extensions: [rawTasks] });
    const { taskId } = (await before.client.request("tools/call", { name: "s__job", arguments: {} })) as { taskId?: string };
    await before.client.request("tasks/get", { taskId });
    expect(before.audit.at(-1)).toMatchObject({ method: "tasks/get", server: "s", outcome: "ok" });
    const after = await place(({ server }) => server !== "s", { revision, extensions: [rawTasks] });
    for (const method of ["tasks/get", "tasks/cancel"])
      await expect(after.client.request(method, { taskId })).rejects.toMatchObject({ code: -32602, message: "Unknown task" });
    expect(after.opened).toEqual([]);
    expect(after.audit.at(-1)).toMatchObject({ method: "tasks/cancel", server: "s", outcome: "denied" });
  });
});
