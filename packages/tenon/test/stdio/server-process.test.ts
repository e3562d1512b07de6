// A running server process: what arrives, what leaves, and how calls fail when it ends.
import { PassThrough } from "node:stream";
import { expect, test, vi } from "vitest";
import { toStreams } from "tenon/compat/python";
import { StdioTransport } from "tenon/node";
import { ConnectionClosedError, LimitExceededError, ProtocolViolationError } from "../../src/jsonrpc/mcp-error.ts";
import { MalformedMessage } from "../../src/jsonrpc/incoming.ts";
import { JsonRpcDispatcher } from "../../src/dispatch/json-rpc-dispatcher.ts";
import { isAlive, nextNotification, rejection, SHORT, spawnOdd, startClient } from "./support.ts";

test("a process that exits fails all calls, later ones too, with its code and last words [fault S2 ST-25 XT-02]", async () => {
  const server = await spawnOdd("echo", "", { env: { NODE_OPTIONS: "--trace-exit" } });
  const client = startClient(server);
  const calls = [client.request("hang"), client.request("hang"), client.request("exit", { code: 7 })];
  const errors = await Promise.all(calls.map(rejection));
  for (const error of errors) {
    expect(error).toBeInstanceOf(ConnectionClosedError);
    expect(error).toMatchObject({
      code: -32000,
      message: "Connection closed: the server exited with code 7",
      data: { exitCode: 7, signal: null },
    });
    expect((error as ConnectionClosedError).data).toHaveProperty(
      "stderr",
      expect.stringContaining("WARNING: Exited the environment with code 7"),
    );
  }
  expect(await rejection(client.request("late"))).toBe(errors[0]);
  expect(client.notify("late")).toBeUndefined();
  await client.close();
});

test("the error shows the last 4 KiB of what a process said, and the connection ends once [fault S2]", async () => {
  const server = await spawnOdd("echo");
  const client = new JsonRpcDispatcher(server, { respondToMalformed: false });
  let ends = 0;
  const running = client
    .run(
      () => ({}),
      () => undefined,
    )
    .finally(() => ends++);
  await client.request("complain", { lines: 1_000 }); // 16 bytes each
  await expect.poll(() => server.stderrTail).toContain("complaint 00999");
  const errors = await Promise.all([client.request("hang"), client.request("exit", { code: 3 })].map(rejection));
  const lines = Array.from({ length: 256 }, (_, n) => `complaint ${String(744 + n).padStart(5, "0")}\n`);
  for (const error of errors)
    expect((error as ConnectionClosedError).data).toEqual({ exitCode: 3, signal: null, stderr: lines.join("") });
  await running.catch(() => undefined);
  await client.close();
  expect(ends).toBe(1);
});

test("a process that is killed fails calls with the name of the signal [fault S2]", async () => {
  const client = startClient(await spawnOdd("echo"));
  await expect(client.request("kill", { signal: "SIGKILL" })).rejects.toMatchObject({
    message: "Connection closed: the server was killed by SIGKILL",
    data: { exitCode: null, signal: "SIGKILL" },
  });
  await client.close();
});

test("what a process wrote before it exited is still delivered [fault S2]", async () => {
  const client = startClient(await spawnOdd("echo"));
  const [answer, error] = await Promise.all([
    client.request("last", { words: true }),
    rejection(client.request("exit", { code: 0 })),
  ]);
  expect(answer).toEqual({ words: true });
  expect(error).toMatchObject({ data: { exitCode: 0 } });
  await client.close();
});

test("what a process wrote before it exited is not lost to a reader that takes its time [fault S2 S7]", async () => {
  // More than Node reads at once, and less than the pipe and its stream hold: who writes more waits for the reader, and does not
  // exit.
  const server = await spawnOdd("writesAndExits", "2000");
  // Until the connection is known to have ended: sending fails then.
  const ended = async (): Promise<boolean> => {
    try {
      await server.send({ jsonrpc: "2.0", method: "x" });
      return false;
    } catch {
      return true;
    }
  };
  while (!(await ended())) await new Promise(setImmediate);
  for (let n = 0; n < 2000; n++) expect((await nextNotification(server)).params).toEqual({ n });
  await expect(server.receive()).rejects.toMatchObject({ data: { exitCode: 0 } });
  await server.close();
});

test("a call that hangs times out and the connection stays usable [fault S3]", async () => {
  const client = startClient(await spawnOdd("echo"));
  await expect(client.request("hang", {}, { timeout: 20 })).rejects.toMatchObject({ code: -32001 });
  expect(await client.request("again", { n: 1 })).toEqual({ n: 1 });
  await client.close();
});

test("calls fail when the process exits although a grandchild holds its pipes, which are closed here [S7 ST-53]", async () => {
  const server = await spawnOdd("grandchildHoldsPipes", "", { timeouts: SHORT });
  const { params } = await nextNotification(server);
  const client = startClient(server);
  await expect(client.request("exit", { code: 3 })).rejects.toMatchObject({ data: { exitCode: 3 } });
  expect(isAlive(params?.["pid"] as number)).toBe(true);
  await client.close();
});

test("a process that closes its stdout and lives on fails calls, and is ended [S9]", async () => {
  const server = await spawnOdd("closesStdout", "", { timeouts: SHORT });
  await nextNotification(server);
  const client = startClient(server);
  await expect(client.request("x")).rejects.toMatchObject({ message: "Connection closed: the server closed its stdout" });
  await client.close();
  expect(isAlive(server.pid)).toBe(false);
});

test("a process that closes its stdin ends the connection instead of leaving calls to hang [S10 ST-42]", async () => {
  const server = await spawnOdd("closesStdin", "", { timeouts: SHORT });
  await nextNotification(server);
  const client = startClient(server);
  await expect(client.request("x")).rejects.toThrow(ConnectionClosedError);
  await client.close();
  expect(isAlive(server.pid)).toBe(false);
});

test("banners and non-UTF-8 are reported, escaped; calls go on; blanks are ignored [S11 S13 S15 ST-06 ST-22 ST-33]", async () => {
  const errors: Error[] = [];
  const server = await spawnOdd("garbage", "", {}, { onError: (error) => errors.push(error) });
  const reported: Error[] = [];
  const client = startClient(server, (error) => reported.push(error));
  expect(await client.request("x", { after: "garbage" })).toEqual({ after: "garbage" });
  expect(errors.map((error) => error.message)).toEqual([
    'The server wrote a line to its stdout that is not JSON: "\\u001b[31mnpm warn\\u001b[0m a banner"',
  ]);
  expect(reported.map((error) => error.message)).toEqual([
    expect.stringContaining("Parse error"),
    "Parse error: not valid UTF-8",
  ]);
  await client.close();
});

test("a megabyte of garbage ends the connection, and at most 100 lines are reported [S11]", async () => {
  const errors: Error[] = [];
  const server = await spawnOdd("onlyGarbage", "", { timeouts: SHORT }, { onError: (error) => errors.push(error) });
  const client = startClient(server);
  const error = await rejection(client.request("x"));
  expect(error).toMatchObject({ code: -32000, cause: expect.any(ProtocolViolationError) });
  expect(errors).toHaveLength(100);
  expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(300);
  await client.close();
});

test("999 lines in a row that are not JSON are skipped, and a thousand end the connection [S11]", async () => {
  const patient = startClient(await spawnOdd("babbles", "999"));
  expect(await patient.request("x", { after: "garbage" })).toEqual({ after: "garbage" });
  await patient.close();
  const server = await spawnOdd("babbles", "1000", { timeouts: SHORT });
  const client = startClient(server);
  const error = await rejection(client.request("x"));
  expect(error).toMatchObject({ code: -32000, cause: { data: { limit: "limits.maxMalformed", max: 1_000 } } });
  await client.close();
});

test("a message cut in two anywhere arrives whole, an unterminated last one too [S12 S15 ST-05 ST-20 ST-71]", async () => {
  const server = await spawnOdd("split");
  const text = "a\u00e9\u20ac\u{1f600}\u2028\u2029\r";
  const bytes = Buffer.byteLength(JSON.stringify({ jsonrpc: "2.0", method: "split", params: { text } })) + 2;
  for (let n = 0; n < bytes; n++)
    expect(await nextNotification(server)).toEqual({ jsonrpc: "2.0", method: "split", params: { text } });
  await expect(server.receive()).rejects.toMatchObject({ data: { exitCode: 0 } });
  await server.close();
});

test("a line over maxLineBytes ends the connection with the name of the limit; one below it arrives [S14 ST-34]", async () => {
  const server = await spawnOdd("longLine", "1000", { limits: { maxLineBytes: 2000 } });
  expect((await nextNotification(server)).params).toEqual({ text: "x".repeat(1000) });
  await server.close();

  const flooding = await spawnOdd("longLine", "100000", { limits: { maxLineBytes: 2000 } });
  expect(await flooding.receive()).toBeInstanceOf(MalformedMessage);
  const error = await rejection(Promise.resolve(flooding.receive()));
  expect(error).toMatchObject({
    code: -32000,
    data: { limit: "limits.maxLineBytes", max: 2000 },
    cause: expect.any(LimitExceededError),
  });
  await flooding.close();
  expect(isAlive(flooding.pid)).toBe(false);
});

test("a call whose response is over maxLineBytes fails by the limit's name, others with the connection [S14 F2]", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const client = startClient(new StdioTransport({ input, output, limits: { maxLineBytes: 1000 } }));
  const calls = [client.request("a"), client.request("b")];
  input.write(`{"jsonrpc":"2.0","id":2,"result":{"text":"${"x".repeat(2000)}`);
  const [a, b] = await Promise.all(calls.map(rejection));
  const named = {
    message: expect.stringContaining('Limit "limits.maxLineBytes" of 1000 exceeded') as string,
    data: { limit: "limits.maxLineBytes", max: 1000 },
  };
  expect([a, b]).toMatchObject([named, named]);
  expect([a, b]).toEqual([expect.any(ConnectionClosedError), expect.any(ProtocolViolationError)]);
});

test("a line of 9 MB arrives in one piece [fault S14]", async () => {
  const server = await spawnOdd("longLine", String(9_000_000));
  expect((await nextNotification(server)).params?.["text"]).toHaveLength(9_000_000);
  await server.close();
});

test("a server is a pair of streams without a buffer: what is not asked for holds the server back [ST-15]", async () => {
  const server = await spawnOdd("manyMessages", "200000");
  const { read, write } = toStreams(server);
  const items = read[Symbol.asyncIterator]();
  const numberOf = async (): Promise<unknown> =>
    ((await items.next()).value as { message: { params: { n: number } } }).message.params.n;
  expect([await numberOf(), await numberOf()]).toEqual([0, 1]);
  // Another server answers 200 times meanwhile. This one cannot have written all: nobody has read it.
  const other = toStreams(await spawnOdd("echo"));
  const answers = other.read[Symbol.asyncIterator]();
  for (let id = 0; id < 200; id++) {
    await other.write.send({ message: { jsonrpc: "2.0", id, method: "x" } });
    expect((await answers.next()).value).toEqual({ message: { jsonrpc: "2.0", id, result: {} } });
  }
  expect(server.stderrTail).toBe("");
  await write.send({ message: { jsonrpc: "2.0", id: "last", method: "x" } });
  for (let n = 2; n < 200_000; n++) if ((await numberOf()) !== n) throw new Error(`Message ${n} is missing`);
  expect((await items.next()).value).toMatchObject({ message: { id: "last" } });
  await other[Symbol.asyncDispose]();
  await server.close();
});

test("a flood on stderr never blocks the server; the tail keeps the end of it, a sink gets all [S16 ST-08]", async () => {
  let bytes = 0;
  const server = await spawnOdd("floodsStderr", "3000000", { stderr: { write: (chunk) => (bytes += chunk.length) } });
  const client = startClient(server);
  expect(await client.request("x", { n: 1 })).toEqual({ n: 1 });
  await client.close();
  expect(bytes).toBe(3_000_000 + "the end".length);
  expect(server.stderrTail).toHaveLength(64 * 1024);
  expect(server.stderrTail.endsWith("eeethe end")).toBe(true);
});

test("by default stderr goes to this process's own, and one that listens for errors may throw [S16 ST-08]", async () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  const listeners = process.stderr.listenerCount("error");
  const onError = (): never => {
    throw new Error("thrown by the listener");
  };
  const server = await spawnOdd("garbage", "", { stderr: "inherit", env: { NODE_OPTIONS: "--trace-exit" } }, { onError });
  const client = startClient(server);
  await expect(client.request("exit", { code: 4 })).rejects.toMatchObject({ data: { exitCode: 4 } });
  await client.close();
  expect(written.join("")).toContain("code 4");
  expect(server.stderrTail).toBe(written.join(""));
  expect(process.stderr.listenerCount("error")).toBe(listeners);
});

test("a server that does not read: send waits, then refuses requests, progress is dropped; close works [S17 ST-43]", async () => {
  const server = await spawnOdd("neverReads", "", { limits: { maxQueuedBytes: 200_000 }, timeouts: SHORT });
  await nextNotification(server);
  const request = (id: number) => ({ jsonrpc: "2.0" as const, id, method: "x", params: { text: "y".repeat(10_000) } });
  let id = 0;
  let waiting: Promise<void> | void = undefined;
  for (; waiting === undefined; await new Promise(setImmediate)) waiting = server.send(request(++id));
  const failed = expect(waiting).rejects.toThrow(ConnectionClosedError);
  const refused = await rejection(
    (async () => {
      for (;;) void Promise.resolve(server.send(request(++id))).catch(() => undefined);
    })(),
  );
  expect(refused).toMatchObject({ data: { limit: "limits.maxQueuedBytes", max: 200_000 } });
  expect(server.send({ jsonrpc: "2.0", method: "notifications/progress", params: { text: "y".repeat(10_000) } })).toBeUndefined();
  // What ends a call, and answers, always find room.
  expect(server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })).toBeInstanceOf(Promise);
  expect(server.send({ jsonrpc: "2.0", id: "theirs", result: { text: "y".repeat(10_000) } })).toBeInstanceOf(Promise);
  await server.close();
  await failed;
  expect(isAlive(server.pid)).toBe(false);
});

test("10 000 messages in one write arrive in order, and other work gets its turn in between [S19]", async () => {
  const server = await spawnOdd("manyMessages", "10000");
  let turns = 0;
  let more = true;
  const count = (): void => {
    turns++;
    if (more) setImmediate(count);
  };
  count();
  for (let n = 0; n < 10_000; n++) {
    const incoming = server.receive();
    expect(incoming instanceof Promise ? await incoming : incoming).toEqual({ jsonrpc: "2.0", method: "n", params: { n } });
  }
  more = false;
  expect(turns).toBeGreaterThan(30);
  await server.close();
});

test("while no message is received, reading stops and the server is held back; nothing is lost [ST-21]", async () => {
  const server = await spawnOdd("manyMessages", "200000");
  const quiet = startClient(await spawnOdd("echo"));
  for (let n = 0; n < 200; n++) await quiet.request("x");
  await quiet.close();
  expect(server.stderrTail).toBe("");
  for (let n = 0; n < 200_000; n++) {
    const incoming = server.receive();
    const message = incoming instanceof Promise ? await incoming : incoming;
    if (message instanceof MalformedMessage || !("params" in message) || message.params?.["n"] !== n)
      throw new Error(`Message ${n} is ${JSON.stringify(message)}`);
  }
  await server.close();
  expect(server.stderrTail).toBe("all written");
});
