// Serving on stdin and stdout: the whole life of a server process, as a host sees it.
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpServer } from "tenon/server";
import { serveStdio, StdioTransport } from "tenon/node";
import { McpUsageError } from "../../src/jsonrpc/mcp-error.ts";
import { buildServed, Served } from "./served.ts";
import { testServer } from "../support/test-server.ts";

let served: Awaited<ReturnType<typeof buildServed>>;
beforeAll(async () => (served = await buildServed()));
afterAll(() => served.remove());

/** How many listen for what ends a process. */
const listeners = (): number[] => ["SIGTERM", "SIGINT", "SIGHUP", "uncaughtException"].map((name) => process.listenerCount(name));

/** What writes to stdout goes through. */
const outputs = (): unknown[] => ["write", "end"].map((name) => Reflect.get(process.stdout, name));

const start = (options: object = {}): Served => new Served(served.file, options).read();

test("the end of stdin ends an idle server with exit code 0, and its lifespan [T1 ST-67 C.6]", async () => {
  const server = start();
  await server.answer(0);
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.stderr).toBe("lifespan closed\nexit 0\n");
});

test("every request before the end gets its response, however long, also on an open last line [T1 ST-70 ST-71]", async () => {
  const server = start();
  server.call(1, "big");
  server.call(2, "slow");
  server.child.stdin.end('{"jsonrpc":"2.0","id":3,"method":"ping"}');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.lines.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3]);
  expect(await server.answer(1)).toHaveLength(5_000_000);
});

test("an endless handler and a timer do not keep the process; one that heeds its signal may still respond [T1]", async () => {
  const server = start();
  await server.answer(0);
  server.call(1, "hang");
  server.call(2, "untilAborted");
  const from = performance.now();
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - from).toBeGreaterThan(1400); // the drain
  expect(await server.answer(2)).toBe("stopped early");
  expect(server.lines.map(({ id }) => id)).toEqual([0, 2]);
});

test("a host that no longer reads ends the server without a storm of reports [T2 ST-66]", async () => {
  const server = new Served(served.file, { drain: 100 });
  await new Promise((resolve) => server.child.stdout.once("data", resolve));
  server.child.stdout.destroy();
  for (let id = 1; id <= 200; id++) server.call(id, "slow");
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.stderr.split("tenon:").length).toBeLessThanOrEqual(3);
});

test("a host that is gone altogether, stderr and all, ends the server in the same way [T2]", async () => {
  const server = new Served(served.file, { drain: 100 });
  await new Promise((resolve) => server.child.stdout.once("data", resolve));
  server.child.stdout.destroy();
  server.child.stderr.destroy();
  for (let id = 1; id <= 200; id++) server.call(id, id % 2 === 0 ? "slow" : "noisy");
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

test("for a host that reads slowly progress is dropped, oldest first, and counted; responses never are [T3 ST-65]", async () => {
  const server = new Served(served.file, { limits: { maxQueuedBytes: 1_000_000 } });
  server.call(1, "chatty", { progressToken: "t" });
  server.call(2, "add");
  // Nothing is read until the server has told everything it has to tell.
  await server.says("all told");
  server.read();
  expect(await server.answer(1)).toBe("all told");
  expect(await server.answer(2)).toBe("0");
  server.child.stdin.end();
  await server.ended;
  const steps = server.lines.filter(({ method }) => method === "notifications/progress");
  const [, dropped] = /(\d+) progress or log messages were dropped/.exec(server.stderr) ?? [];
  expect(Number(dropped)).toBeGreaterThan(10_000);
  expect(steps.length + Number(dropped)).toBe(20_000);
});

test("what tools print goes to stderr: the wire carries protocol only [T4 ST-69 C.2]", async () => {
  const server = start();
  server.call(1, "noisy");
  expect(await server.answer(1)).toBe("quiet");
  server.child.stdin.end();
  await server.ended;
  expect(server.lines.map(({ id }) => id)).toEqual([0, 1]);
  expect(server.stderr).toContain(
    "from console.log\nfrom console.info\nfrom console.debug\nfrom process.stdout.write\nfrom process.stdout.end\n",
  );
});

test("child processes of tools that inherit everything neither write to the wire nor read from it [T4]", async () => {
  const server = start();
  server.call(1, "spawns");
  expect(await server.answer(1)).toBe("quiet");
  server.call(2, "add");
  expect(await server.answer(2)).toBe("0");
  server.child.stdin.end();
  await server.ended;
  expect(server.stderr).toContain("from inherit\n");
  expect(server.stderr).toContain("from an array\n");
  expect(server.stderr).toContain("from the stream\n");
});

test("code that pipes into stdout or ends it goes on, and the server serves further calls [T4 D12]", async () => {
  const server = start();
  server.call(1, "pipes");
  expect(await server.answer(1)).toBe("piped");
  server.call(2, "ends");
  expect(await server.answer(2)).toBe("ended");
  server.call(3, "add");
  expect(await server.answer(3)).toBe("0");
  server.child.stdin.end();
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.lines.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
  expect(server.stderr.replaceAll(/[^p]/g, "").length).toBeGreaterThanOrEqual(1_000_000);
  expect(server.stderr).toContain("from end with a callback\n");
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s lets what runs finish, then the process exits with 0 [T5]",
  async (signal) => {
    const server = start();
    await server.answer(0);
    server.call(1, "slow");
    server.write({ id: 2, method: "ping" });
    await server.answer(2);
    server.child.kill(signal);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(await server.answer(1)).toBe("slow");
  },
);

test("a request after SIGTERM is refused with -32603, while one that runs gets its result [D14 T5]", async () => {
  const server = start();
  server.call(1, "slow");
  server.write({ id: 2, method: "ping" });
  await server.answer(2);
  server.child.kill("SIGTERM");
  await server.says("got SIGTERM");
  server.call(3, "add");
  expect(await server.failure(3)).toEqual({ code: -32603, message: "The server is shutting down" });
  expect(await server.answer(1)).toBe("slow");
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

test("SIGTERM ends what the client listens to with its result, and a cancel if wanted [requirement Z1 I8 C.6]", async () => {
  const server = start({ drain: 100, cancelListens: true });
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  server.write({
    id: "listen",
    method: "subscriptions/listen",
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  });
  server.write({ id: 2, method: "ping" });
  await server.answer(2);
  server.child.kill("SIGTERM");
  expect(await server.ended).toEqual({ code: 0, signal: null });
  expect(server.lines.slice(-2)).toMatchObject([
    { id: "listen", result: { resultType: "complete" } },
    { method: "notifications/cancelled", params: { requestId: "listen" } },
  ]);
});

test("a second signal ends the process at once [T5]", async () => {
  const server = start({ drain: 60_000 });
  server.call(1, "hang");
  server.write({ id: 2, method: "ping" });
  await server.answer(2);
  server.child.kill("SIGTERM");
  await server.says("got SIGTERM");
  server.child.kill("SIGINT");
  expect(await server.ended).toEqual({ code: 130, signal: null });
});

test.each([
  ["throwsLate", "thrown late"],
  ["floats", "floating rejection"],
])("an uncaught error (%s) is reported, running calls get a response, and the exit code is 1 [T6]", async (tool, message) => {
  const server = start();
  server.call(1, tool);
  expect(await server.answer(1)).toBe("in time");
  expect(await server.ended).toEqual({ code: 1, signal: null });
  expect(server.stderr).toContain(`tenon: Error: ${message}\n    at `);
});

test("a batch is one line, and so are its responses, on the revision that has batches [C.3 A1.9]", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const server = testServer({ name: "t" });
  server.tool("add", {}, () => "0");
  const served = serveStdio(server, { stdin, stdout });
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const send = (message: unknown): void => void stdin.write(`${JSON.stringify(message)}\n`);
  const answer = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  const hello = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  send({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello });
  expect(await answer()).toMatchObject({ id: 1, result: { protocolVersion: "2025-03-26" } });
  send([
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "ping" },
    { jsonrpc: "2.0", id: "3", method: "tools/call", params: { name: "add" } },
    { jsonrpc: "2.0", id: 4, method: "no/such" },
  ]);
  const answers = (await answer()) as { id: unknown }[]; // an array, or the test fails
  expect(answers.map(({ id }) => id).sort()).toEqual([2, 4, "3"].sort());
  expect(answers).toContainEqual({ jsonrpc: "2.0", id: 2, result: {} });
  stdin.end();
  await served;
});

test("lines that are not messages get an error response or are reported, and the server goes on [ST-62 ST-64 C.11]", async () => {
  const server = start();
  server.child.stdin.write(
    Buffer.concat([Buffer.from('no JSON\n\n{"jsonrpc":"2.0","id":9,"method":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
  );
  server.call(1, "add");
  expect(await server.answer(1)).toBe("0");
  expect(server.lines.slice(1, 3)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: null, error: { code: -32700 } },
  ]);
  server.child.stdin.end();
  await server.ended;
});

test("a line over maxLineBytes gets an error with id and limit, is reported, ends the connection [S14 C.11]", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  const server = testServer({ name: "t" });
  const served = serveStdio(server, { stdin, stdout, limits: { maxLineBytes: 1000 }, onError: (error) => errors.push(error) });
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  stdin.write(`{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"${"x".repeat(2000)}`);
  await served;
  const lines = (await text(stdout.end())).trimEnd().split("\n");
  const error = {
    code: -32600,
    message: 'Limit "limits.maxLineBytes" of 1000 exceeded',
    data: { limit: "limits.maxLineBytes", max: 1000 },
  };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: "long", error },
  ]);
  expect(errors).toMatchObject([error]);
});

test("on streams of one's own: the process is untouched, the streams stay open [ST-60 ST-63 ST-66 ST-67 C.10]", async () => {
  const server = testServer({ name: "t" });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const before = [listeners(), outputs()];
  const serving = serveStdio(server, { stdin, stdout });
  expect([listeners(), outputs()]).toEqual(before);
  stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await serving;
  expect(String(stdout.read())).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  expect(stdout.writable).toBe(true);
  const fresh = new PassThrough();
  for (const stream of [stdin, stdout]) expect(stream.eventNames().toSorted()).toEqual(fresh.eventNames().toSorted());
});

test("text is UTF-8 in both directions, also where a piece of the input ends inside a character [ST-61]", async () => {
  const server = testServer({ name: "t" });
  server.tool("same", { input: { type: "object" } }, ({ text: given }: { text?: unknown }) => String(given));
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { stdin, stdout });
  const odd = "é€😀\u2028";
  const send = (message: object): void => {
    for (const byte of Buffer.from(`${JSON.stringify(message)}\n`)) stdin.write(Buffer.from([byte]));
  };
  const clientInfo = { name: "c", version: "1" };
  send({
    jsonrpc: "2.0",
    id: odd,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  send({ jsonrpc: "2.0", id: `${odd}2`, method: "tools/call", params: { name: "same", arguments: { text: odd } } });
  const written: Buffer[] = [];
  stdout.on("data", (bytes: Buffer) => void written.push(bytes));
  await expect.poll(() => Buffer.concat(written).toString().split("\n").length).toBe(3); // an input that ends cancels what runs
  stdin.end();
  await serving;
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(written)).trimEnd().split("\n");
  const messages = lines.map((line) => JSON.parse(line) as unknown);
  expect(messages).toMatchObject([{ id: odd }, { id: `${odd}2`, result: { content: [{ text: odd }] } }]);
});

test("a second serveStdio on the process's own streams is refused, and all is put back after the first [ST-69]", async () => {
  const server = testServer({ name: "t" });
  const stop = new AbortController();
  const [listened, written] = [listeners(), outputs()];
  const stdin = new PassThrough();
  const serving = serveStdio(server, { stdin, exit: false, signal: stop.signal });
  expect(outputs()).not.toEqual(written);
  await expect(serveStdio(server, { stdin })).rejects.toThrow(McpUsageError);
  stop.abort();
  await serving;
  expect(outputs()).toEqual(written);
  expect(listeners()).toEqual(listened);
});

test("what keeps a server from starting is thrown to the caller, and nothing stays behind", async () => {
  const before = [listeners(), outputs()];
  const server = new McpServer(
    { name: "t", version: "1" },
    {
      lifespan() {
        throw new Error("no database");
      },
    },
  );
  for (let n = 0; n < 2; n++)
    await expect(serveStdio(server, { stdin: new PassThrough(), exit: false })).rejects.toThrow("no database");
  expect([listeners(), outputs()]).toEqual(before);
});

test("a transport of one's own keeps order and writes one line a message [ST-40 ST-41 ST-60]", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new StdioTransport({ input, output });
  for (let id = 0; id < 3; id++) void transport.send({ jsonrpc: "2.0", id, method: "x", params: { text: "a\nb\r\u2028" } });
  await transport.close();
  expect(
    String(output.read())
      .split("\n")
      .map((line) => line && (JSON.parse(line) as { id: number }).id),
  ).toEqual([0, 1, 2, ""]);
});
