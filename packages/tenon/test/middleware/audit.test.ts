// audit(): one record for each request of a plain server, as a gateway makes them; contents only if asked, and redacted.
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { expect, onTestFinished, test } from "vitest";
import { connect, McpServer, ToolError, type Client } from "tenon";
import { createGateway } from "tenon/gateway";
import { audit, type AuditRecord, type ServerAuditOptions } from "tenon/middleware";
import { serveHttp } from "tenon/node";
import { auditLogs } from "tenon/otel";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

function shop(options: Partial<ServerAuditOptions> = {}): {
  server: McpServer;
  records: AuditRecord[];
  calls: () => AuditRecord[];
} {
  const records: AuditRecord[] = [];
  const server = new McpServer({ name: "shop", version: "1.0.0" }, { onError: () => undefined });
  server.use(audit({ write: (record) => void records.push(record), ...options }));
  server.tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args));
  server.tool("fail", {}, () => {
    throw new ToolError("no stock");
  });
  server.tool(
    "hang",
    {},
    (_input, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  onTestFinished(() => server.close());
  return { server, records, calls: () => records.filter(({ method }) => method === "tools/call") };
}

async function clientOf(target: Parameters<typeof connect>[0], options: Parameters<typeof connect>[1] = {}): Promise<Client> {
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return client;
}

test.each(REVISIONS)("%s: a record says what, how long and how it ended, and no contents", async (revision) => {
  const { server, calls } = shop();
  const client = await clientOf(server, { revision });
  await client.callTool("echo", { secret: "hunter2" });
  await client.callTool("fail").catch(() => undefined);
  await client.callTool("none").catch(() => undefined);
  const abort = new AbortController();
  const hanging = client.callTool("hang", {}, { signal: abort.signal }).catch(() => undefined);
  abort.abort();
  await hanging;
  await expect.poll(() => calls().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  expect(calls().slice(0, 3)).toMatchObject([
    { name: "echo", outcome: "ok" },
    { name: "fail", outcome: "tool_error" },
    { name: "none", outcome: "error", code: -32602 },
  ]);
  for (const record of calls()) expect(Object.keys(record)).not.toContain("params");
  expect(JSON.stringify(calls())).not.toContain("hunter2");
  expect(Date.parse(calls()[0]!.time)).toBeGreaterThan(0);
  expect(calls()[0]!.ms).toBeGreaterThanOrEqual(0);
});

test("over HTTP it says who: principal, subject, address and program", async () => {
  const { server, calls } = shop();
  const auth = {
    authorize: () => ({
      auth: { issuer: "https://as.example", subject: "ada", clientId: "editor", scopes: [], claims: {} },
      principal: JSON.stringify(["https://as.example", "ada", "editor"]),
      until: Infinity,
    }),
    insufficientScope: () => ({ status: 403, headers: [], message: "no" }),
  };
  const http = await serveHttp(server, { port: 0, auth });
  onTestFinished(() => http.close());
  const client = await clientOf(
    { url: http.url, headers: { authorization: "Bearer s3cr3t-token" } },
    { clientInfo: { name: "editor", version: "1.0.0" } },
  );
  await client.callTool("echo");
  expect(calls()).toMatchObject([
    { subject: "ada", address: "127.0.0.1", client: "editor", principal: '["https://as.example","ada","editor"]' },
  ]);
  expect(JSON.stringify(calls())).not.toContain("s3cr3t-token");
});

test("contents are redacted by path and by pattern, in records only", async () => {
  const { server, calls } = shop({
    contents: true,
    redact: {
      paths: ["params.arguments.password", "params.arguments.users.*.ssn", "params.**.token", "params.arguments.list.1"],
      patterns: [/\d{12}(?=\d{4})/, /ada@\S+/g, /key-\w+/y],
    },
  });
  const client = await clientOf(server);
  const sent = {
    password: { nested: "hunter2" },
    users: [{ ssn: "1", name: "ada@acme.example" }, { ssn: "2" }],
    deep: { er: [{ token: "t" }] },
    list: ["a", "b"],
    card: "4111111111111111 and 4222222222222222",
    "key-abc": "a key-abc b",
    number: 4_111_111_111,
  };
  const { text } = await client.callTool("echo", sent);
  expect(JSON.parse(text)).toEqual(sent); // the client gets all
  expect(calls()[0]!.params).toEqual({
    name: "echo",
    arguments: {
      password: "[redacted]",
      users: [{ ssn: "[redacted]", name: "[redacted]" }, { ssn: "[redacted]" }],
      deep: { er: [{ token: "[redacted]" }] },
      list: ["a", "[redacted]"],
      card: "[redacted]1111 and [redacted]2222",
      "[redacted]": "a [redacted] b",
      number: 4_111_111_111,
    },
  });
  expect(JSON.stringify(calls()[0]!.result)).not.toContain("411111111111");
});

test("patterns hold for names, without contents too", async () => {
  const { server, records } = shop({ redact: { patterns: [/secret=\w+/] } });
  server.resource("file:///known", {}, () => "known");
  const client = await clientOf(server);
  await client.readResource("file:///a?secret=abc").catch(() => undefined);
  expect(records.find(({ method }) => method === "resources/read")).toMatchObject({ name: "file:///a?[redacted]" });
});

test("a name is redacted before it is cut", async () => {
  const { server, records } = shop({ redact: { patterns: [/\d{16}/] } });
  server.resource("file:///known", {}, () => "known");
  const client = await clientOf(server);
  await client.readResource(`file:///${"a".repeat(494)}4111111111111111`).catch(() => undefined);
  const { name = "" } = records.find(({ method }) => method === "resources/read") ?? {};
  expect(name).toHaveLength(512);
  expect(name).not.toMatch(/\d/);
});

test("a path to what the name repeats redacts the name, too, also without contents", async () => {
  const { server, records } = shop({ redact: { paths: ["params.uri"] } });
  server.resource("file:///ada", {}, () => "known");
  const client = await clientOf(server);
  await client.readResource("file:///ada");
  await client.callTool("echo");
  expect(records.find(({ method }) => method === "resources/read")).toMatchObject({ name: "[redacted]", outcome: "ok" });
  expect(records.find(({ method }) => method === "tools/call")).toMatchObject({ name: "echo" });
});

test("what a path takes out of a structured result is taken out of its text, too", async () => {
  const { server, calls } = shop({ contents: true, redact: { paths: ["result.structuredContent.**.token"] } });
  const output = { type: "object", properties: { user: { type: "object" } } } as const;
  server.tool("login", { output }, () => ({ user: { name: "ada", token: "s3cr3t" } }));
  const client = await clientOf(server);
  const { content } = await client.callTool("login");
  expect(JSON.stringify(content)).toContain("s3cr3t"); // the client gets all
  expect(calls()[0]!.result).toMatchObject({
    content: [{ type: "text", text: '{"user":{"name":"ada","token":"[redacted]"}}' }],
    structuredContent: { user: { name: "ada", token: "[redacted]" } },
  });
});

test("patterns hold for numbers, which become texts", async () => {
  const { server, calls } = shop({ contents: true, redact: { patterns: [/\d{12}(?=\d{4})/] } });
  const client = await clientOf(server);
  await client.callTool("echo", { card: 4_111_111_111_111_111, count: 3 });
  expect(calls()[0]!.params).toMatchObject({ arguments: { card: "[redacted]1111", count: 3 } });
});

test.each<[string, () => void]>([
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))],
])("a log that %s is reported, and fails no request", async (_how, write) => {
  const reported: unknown[] = [];
  const { server } = shop({
    write,
    onError: (error) => void reported.push(error),
  });
  expect((await (await clientOf(server)).callTool("echo")).text).toBe("{}");
  expect(reported).toContainEqual(new Error("disk full"));
});

test("a gateway redacts as a server does", async () => {
  const { server } = shop();
  const records: AuditRecord[] = [];
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { shop: server },
    audit: { contents: true, redact: { paths: ["params.arguments"] }, write: (record) => void records.push(record) },
  });
  onTestFinished(() => gateway.close());
  await (await clientOf(gateway)).callTool("shop__echo", { a: 1 });
  expect(records.find(({ method }) => method === "tools/call")).toMatchObject({
    server: "shop",
    outcome: "ok",
    params: { name: "shop__echo", arguments: "[redacted]" },
  });
});

test("a method of an extension is recorded as far as a name is: a client writes it", async () => {
  const records: AuditRecord[] = [];
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { shop: shop().server },
    audit: { write: (record) => void records.push(record) },
  });
  onTestFinished(() => gateway.close());
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  await client.request(`com.example/${"x".repeat(10_000)}`, { uri: "none://" }).catch(() => undefined);
  const { method = "" } = records.find((record) => record.method.startsWith("com.example/")) ?? {};
  expect(method).toHaveLength(512);
});

test("OpenTelemetry's own SDK gets one log record for each, with attributes, and exports it", async () => {
  const exporter = new InMemoryLogRecordExporter();
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  onTestFinished(() => provider.shutdown());
  const log = auditLogs(provider.getLogger("shop"));
  const times: number[] = [];
  const { server } = shop({
    write: (record) => {
      if (record.name === "echo") times.push(Date.parse(record.time));
      log(record);
    },
    contents: true,
    redact: { paths: ["params.arguments.password"], patterns: [/hunter\d/g] },
  });
  const client = await clientOf(server);
  await client.callTool("echo", { a: 1, password: "hunter2" });
  await client.callTool("fail").catch(() => undefined);
  await client.callTool("none").catch(() => undefined);
  await provider.forceFlush();
  const exported = exporter.getFinishedLogRecords();
  const calls = exported.filter(({ body }) => (body as string).startsWith("tools/call"));
  expect(calls).toMatchObject([
    {
      eventName: "mcp.request",
      severityNumber: 9,
      severityText: "INFO",
      body: "tools/call echo ok",
      instrumentationScope: { name: "shop" },
      attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "echo", "tenon.audit.outcome": "ok" },
    },
    { severityNumber: 13, severityText: "WARN", body: "tools/call fail tool_error" },
    { severityNumber: 17, body: "tools/call none error", attributes: { "rpc.jsonrpc.error_code": -32602 } },
  ]);
  const [first] = calls;
  // The SDK drops attributes of other types, and counts them.
  expect(exported.map(({ droppedAttributesCount }) => droppedAttributesCount)).toEqual(exported.map(() => 0));
  expect(first!.attributes["tenon.audit.params"]).toContain('"a":1');
  expect(JSON.stringify(exported.map(({ attributes, body }) => [attributes, body]))).not.toContain("hunter2");
  const [seconds, nanoseconds] = first!.hrTime;
  expect([seconds * 1_000 + nanoseconds / 1e6]).toEqual(times);
});

test.each<[string, object]>([
  ["write", {}],
  ["redact.paths", { write: () => undefined, redact: { paths: ["arguments.password"] } }],
  ["redact.paths", { write: () => undefined, redact: { paths: ["params"] } }],
  ["redact.paths", { write: () => undefined, redact: { paths: ["params..a"] } }],
  ["redact.patterns", { write: () => undefined, redact: { patterns: ["a"] } }],
  ["redact.paths", { write: () => undefined, redact: { paths: "params.a" } }],
  ["redact.patterns", { write: () => undefined, redact: { patterns: /a/ } }],
  ["redact", { write: () => undefined, redact: ["params.a"] }],
  ["redact", { write: () => undefined, redact: "params.a" }],
  ["content", { write: () => undefined, content: true }],
])("option %s: %j is refused by its name", (option, options) => {
  expect(() => audit(options as never)).toThrow(`"${option}"`);
});
