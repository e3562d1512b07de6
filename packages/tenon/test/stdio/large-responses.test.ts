// Answers that are large, and clients that do not read them: on stdio both are bounded by bytes.
import { PassThrough, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import type { McpServer } from "tenon/server";
import { serveStdio, type ServeStdioOptions } from "tenon/node";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

interface Line {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string; readonly data: JsonObject };
}

/** What a client of a server in this process reads, and how it asks. */
class Host {
  readonly stdin = new PassThrough({ highWaterMark: 10_000_000 });
  readonly errors: Error[] = [];
  readonly ended: Promise<void>;
  readonly #stdout: PassThrough;
  readonly #lines: AsyncIterator<string>;

  constructor(server: McpServer, options: ServeStdioOptions = {}, revision = "2025-11-25") {
    this.#stdout = new PassThrough();
    this.#lines = createInterface({ input: this.#stdout })[Symbol.asyncIterator]();
    this.ended = serveStdio(server, {
      stdin: this.stdin,
      stdout: this.#stdout,
      onError: (error) => this.errors.push(error),
      ...options,
    });
    onTestFinished(() => void this.stdin.end());
    this.send({
      id: 0,
      method: "initialize",
      params: { protocolVersion: revision, capabilities: { sampling: {} }, clientInfo: { name: "c", version: "1" } },
    });
    this.send({ method: "notifications/initialized" });
  }

  send(...messages: object[]): void {
    this.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  }

  call(id: number, name: string): void {
    this.send({ id, method: "tools/call", params: { name } });
  }

  async next(): Promise<Line> {
    return JSON.parse(String((await this.#lines.next()).value)) as Line;
  }
}

/** Resolves when `value` has been the same for a while: nothing goes on. */
async function settled(value: () => number): Promise<void> {
  for (let same = 0, last = -1; same < 20; same = value() === last ? same + 1 : 0) {
    last = value();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(["together", "one by one"])(
  "the server reads no more from a client than that reads: calls that come %s wait for room, all get their result [T3 ST-65]",
  async (how) => {
    const server = testServer();
    let calls = 0;
    server.tool("large", {}, () => `${++calls} ${"x".repeat(1_000_000)}`);
    const unread = new Writable({ highWaterMark: 16_384, write: (chunk: Buffer, _encoding, done) => taken.push([chunk, done]) });
    const taken: [Buffer, () => void][] = [];
    const host = new Host(server, { stdout: unread });
    const asked = Array.from({ length: 50 }, (_, i) => ({ id: i + 1, method: "tools/call", params: { name: "large" } }));
    if (how === "together") host.send(...asked);
    else for (const one of asked) host.send(one);
    await settled(() => calls);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(6); // 4 MiB wait, and one more is made
    let bytes = 0;
    while (bytes < 50_000_000) {
      const next = taken.shift();
      if (next === undefined) await new Promise((resolve) => setImmediate(resolve));
      else {
        bytes += next[0].length;
        next[1]();
      }
    }
    expect(calls).toBe(50);
  },
);

/** A client's end of stdout that takes nothing until it is read. */
class Unread extends Writable {
  readonly #taken: [Buffer, () => void][] = [];
  #lines = 0;
  text = "";

  constructor() {
    super({ highWaterMark: 16_384 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#taken.push([chunk, done]);
  }

  /** Reads until there are `count` lines in all. */
  async read(count: number): Promise<Line[]> {
    while (this.#lines < count) {
      const next = this.#taken.shift();
      if (next === undefined) await new Promise((resolve) => setImmediate(resolve));
      else {
        const chunk = next[0].toString();
        this.#lines += chunk.split("\n").length - 1;
        this.text += chunk;
        next[1]();
      }
    }
    return this.text
      .split("\n")
      .slice(0, count)
      .map((line) => JSON.parse(line) as Line);
  }
}

test.each([
  ["made for each call", (n: number) => `${n} ${"x".repeat(500_000)}`],
  ["in several bytes a character", (n: number) => `${n} ${"я".repeat(250_000)}`],
])("results of calls that run together and are not read are bounded in bytes: %s [T3 R8]", async (_how, text) => {
  const server = testServer();
  let running = 0;
  const { opened, open } = gate();
  server.tool("late", {}, async () => {
    const n = ++running;
    await opened;
    return text(n);
  });
  const unread = new Unread();
  const host = new Host(server, { stdout: unread, limits: { maxUnreadBytes: 5_000_000 } });
  for (let id = 1; id <= 40; id++) host.call(id, "late");
  await expect.poll(() => running).toBe(40);
  open();
  await settled(() => unread.writableLength);
  const lines = await unread.read(41);
  expect(lines.map(({ id }) => id)).toEqual(Array.from({ length: 41 }, (_, i) => i)); // in order, each one
  const refused = lines.filter(({ error }) => error !== undefined);
  expect(refused).toHaveLength(31); // nine results fit into 5 MB
  for (const { error } of refused)
    expect(error).toMatchObject({ code: -32603, data: { limit: "limits.maxUnreadBytes", max: 5_000_000 } });
  expect(refused[0]?.error?.message).toMatch(/^Limit "limits.maxUnreadBytes" of 5000000 exceeded \(\d+\)$/);
  expect(Buffer.byteLength(unread.text)).toBeLessThan(5_020_000);
  // The client reads again: calls have results again.
  host.call(41, "late");
  expect((await unread.read(42)).at(-1)).toMatchObject({ id: 41, result: { content: [{ type: "text" }] } });
});

test("what waits for a client that does not read is at most 64 MiB unless the option says otherwise [T3]", async () => {
  const server = testServer();
  const { opened, open } = gate();
  let running = 0;
  server.tool("late", {}, () => {
    running++;
    return opened.then(() => "x".repeat(9_000_000));
  });
  const unread = new Unread();
  const host = new Host(server, { stdout: unread });
  for (let id = 1; id <= 9; id++) host.call(id, "late");
  await expect.poll(() => running).toBe(9);
  open();
  const lines = await unread.read(10);
  expect(lines.map(({ error }) => error?.data["limit"])).toEqual([
    ...Array.from({ length: 8 }),
    "limits.maxUnreadBytes",
    "limits.maxUnreadBytes",
  ]);
});

test("the response to a batch whose results do not all fit has those that do, and errors [T3]", async () => {
  const server = testServer();
  server.tool("large", {}, () => "x".repeat(400_000));
  const unread = new Unread();
  const host = new Host(server, { stdout: unread, limits: { maxUnreadBytes: 1_000_000 } }, "2025-03-26");
  const call = (id: number): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "large" } });
  host.stdin.write(`${JSON.stringify([call(1)])}\n${JSON.stringify([call(2), call(3)])}\n`);
  const [, first, second] = (await unread.read(3)) as unknown as [Line, Line[], Line[]];
  expect(first.map(({ error }) => error?.data["limit"])).toEqual([undefined]);
  expect(second.map(({ error }) => error?.data["limit"])).toEqual([undefined, "limits.maxUnreadBytes"]);
});

test("notifications that must not be lost are bounded too: what exceeds the limit is dropped and reported [T3]", async () => {
  const server = testServer();
  server.tool("changes", {}, async (_input, ctx) => {
    await ctx.progress(1); // the client does not read it
    for (let i = 0; i < 50; i++) void ctx.notify("notifications/resources/updated", { uri: `x:${"x".repeat(1_000)}` });
    return "done";
  });
  const unread = new Unread();
  const host = new Host(server, { stdout: unread, limits: { maxUnreadBytes: 20_000 } });
  host.call(1, "changes");
  await expect.poll(() => host.errors.length).toBeGreaterThan(0);
  expect(host.errors[0]).toMatchObject({ data: { limit: "limits.maxUnreadBytes", max: 20_000 } });
});

test("a client that closes its side while it reads nothing ends the server all the same [T1]", async () => {
  const server = testServer();
  let calls = 0;
  server.tool("large", {}, () => `${++calls} ${"x".repeat(5_000_000)}`);
  const host = new Host(server, { stdout: new Writable({ write: () => undefined }), drain: 20 });
  host.call(1, "large");
  await settled(() => calls);
  host.stdin.end();
  await expect(host.ended).resolves.toBeUndefined();
});

test("a result too large is an error of its call that names the limit in bytes; the others go on [fault H15 F5]", async () => {
  const server = testServer();
  server.tool("latin", {}, () => "x".repeat(11_000_000));
  server.tool("cyrillic", {}, () => "я".repeat(5_200_000));
  server.tool("fits", {}, () => "x".repeat(9_000_000));
  const host = new Host(server);
  expect(await host.next()).toMatchObject({ id: 0 });
  for (const [id, name] of ["latin", "cyrillic"].entries()) {
    host.call(id + 1, name);
    const { error } = await host.next();
    expect(error).toMatchObject({ code: -32603, data: { limit: "limits.maxMessageBytes", max: 10_000_000 } });
    expect(error?.message).toMatch(/^Limit "limits.maxMessageBytes" of 10000000 exceeded \(\d+\)$/);
  }
  host.call(3, "fits");
  expect((await host.next()).result?.content[0]?.text).toHaveLength(9_000_000);
});

test("a list that is too large is an error of its call, however often it is asked for [fault H15]", async () => {
  const server = testServer();
  for (let i = 0; i < 20; i++) server.tool(`t${i}`, { description: "d".repeat(5_000) }, () => "");
  const host = new Host(server, { limits: { maxMessageBytes: 50_000 } });
  await host.next();
  for (const id of [1, 2, 3]) {
    host.send({ id, method: "tools/list" });
    expect(await host.next()).toMatchObject({ id, error: { code: -32603, data: { limit: "limits.maxMessageBytes" } } });
  }
});

test("in a batch what does not fit any more is an error of its call [fault H15]", async () => {
  const server = testServer();
  server.tool("large", {}, () => "x".repeat(600));
  const host = new Host(server, { limits: { maxMessageBytes: 1_000 } }, "2025-03-26");
  await host.next();
  const call = (id: number): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "large" } });
  host.stdin.write(`${JSON.stringify([call(1), call(2)])}\n`);
  const answers = (await host.next()) as unknown as Line[];
  expect(answers.map(({ result, error }) => result?.content[0]?.text.length ?? error?.data["limit"])).toEqual([
    600,
    "limits.maxMessageBytes",
  ]);
});

test("a notification that is too large is dropped and reported; a question that is too large fails [fault H15]", async () => {
  const server = testServer();
  let failure: unknown;
  server.tool("talks", {}, async (_input, ctx) => {
    await ctx.progress(1, 2, "x".repeat(2_000));
    failure = await ctx
      .sample("q", { maxTokens: 1, messages: [{ role: "user", content: { type: "text", text: "x".repeat(2_000) } }] })
      .catch((e) => e);
    return "done";
  });
  const host = new Host(server, { limits: { maxMessageBytes: 1_000 } });
  await host.next();
  host.send({ id: 1, method: "tools/call", params: { name: "talks", _meta: { progressToken: 1 } } });
  expect(await host.next()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  expect(host.errors).toMatchObject([{ data: { limit: "limits.maxMessageBytes" } }]);
  expect(failure).toMatchObject({ data: { limit: "limits.maxMessageBytes", max: 1_000 } });
});
