import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConnectionClosedError, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { LineReader } from "./line-reader.ts";

const closed = new ConnectionClosedError();

/** Everything a reader delivers until it ends, with what ended it. */
async function readAll(
  stream: PassThrough,
  maxLineBytes?: number,
  oneByOne = true,
): Promise<{ messages: Incoming[]; cause: Error | undefined }> {
  const messages: Incoming[] = [];
  let cause: Error | undefined;
  const reader: LineReader = new LineReader(stream, {
    maxLineBytes,
    onEnd(error) {
      cause = error;
      reader.end(closed);
    },
  });
  try {
    if (!oneByOne) await reader.receiveAll((message) => void messages.push(message));
    for (;;) messages.push(await reader.receive());
  } catch (error) {
    expect(error).toBe(closed);
    return { messages, cause };
  }
}

test("the same messages arrive however the bytes are cut, with an unterminated last one [ST-20 ST-71 S12 S19]", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 20 }),
      fc.array(fc.nat(60), { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      async (texts, sizes, terminated, oneByOne) => {
        const messages = texts.map((value) => ({ jsonrpc: "2.0" as const, method: "x", params: { value } }));
        const bytes = Buffer.from(messages.map((message) => JSON.stringify(message)).join("\n") + (terminated ? "\n" : ""));
        const stream = new PassThrough();
        const reading = readAll(stream, undefined, oneByOne);
        let at = 0;
        for (const size of sizes) stream.write(bytes.subarray(at, (at += size)));
        stream.end(bytes.subarray(at));
        expect((await reading).messages).toEqual(messages);
      },
    ),
    { numRuns: 60 },
  );
});

test("while no message is received, the stream is paused; receiving goes on with it [ST-21]", async () => {
  const stream = new PassThrough();
  const reader: LineReader = new LineReader(stream, { onEnd: () => reader.end(closed) });
  stream.write('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n');
  await new Promise(setImmediate);
  expect(stream.isPaused()).toBe(true);
  stream.write('{"jsonrpc":"2.0","method":"c"}\n');
  for (const method of ["a", "b", "c"]) expect(await reader.receive()).toEqual({ jsonrpc: "2.0", method });
  const next = reader.receive();
  expect(stream.isPaused()).toBe(false);
  stream.end();
  await expect(next).rejects.toBe(closed);
});

test("a stream resumed elsewhere while no message is received is not paused again, and all arrives [fault S2 S7]", async () => {
  const stream = new PassThrough();
  const reader: LineReader = new LineReader(stream, { onEnd: () => reader.end(closed) });
  stream.write('{"jsonrpc":"2.0","method":"a"}\n');
  await new Promise(setImmediate);
  expect(stream.isPaused()).toBe(true);
  stream.resume(); // as Node does when a process exits
  for (const method of ["b", "c"]) {
    stream.write(`{"jsonrpc":"2.0","method":"${method}"}\n`);
    await new Promise(setImmediate);
    expect(stream.isPaused()).toBe(false);
  }
  stream.end();
  for (const method of ["a", "b", "c"]) expect(await reader.receive()).toEqual({ jsonrpc: "2.0", method });
  await expect(reader.receive()).rejects.toBe(closed);
});

test("a line at the limit arrives; one byte more ends the connection after what came before [S14 ST-34 F8]", async () => {
  const line = '{"jsonrpc":"2.0","method":"x"}';
  const [exact, over] = [new PassThrough(), new PassThrough()];
  exact.end(`${line}\n`);
  expect(await readAll(exact, line.length)).toEqual({ messages: [{ jsonrpc: "2.0", method: "x" }], cause: undefined });
  over.write(`${line}\n${line} \n${line}\n`);
  const { messages, cause } = await readAll(over, line.length);
  expect(messages).toEqual([{ jsonrpc: "2.0", method: "x" }, new MalformedMessage(cause as LimitExceededError)]);
  expect(cause).toBeInstanceOf(LimitExceededError);
});

test("a draining reader reads on and delivers nothing [ST-24]", async () => {
  const stream = new PassThrough({ highWaterMark: 10 });
  const reader: LineReader = new LineReader(stream, { onEnd: () => undefined });
  const ended = new Promise((resolve) => stream.on("end", resolve));
  const waiting = reader.receive();
  reader.drain(closed);
  await expect(waiting).rejects.toBe(closed);
  for (let n = 0; n < 100; n++) stream.write('{"jsonrpc":"2.0","method":"x"}\n');
  stream.end();
  await ended;
  await expect(reader.receive()).rejects.toBe(closed);
});

test("a stream that fails or is destroyed ends the connection once [ST-26]", async () => {
  for (const error of [new Error("broken"), undefined]) {
    const stream = new PassThrough();
    const reading = readAll(stream);
    stream.destroy(error);
    expect((await reading).cause).toBe(error);
  }
});

const named = (method: string): string => `{"jsonrpc":"2.0","method":"${method}"}\n`;

test("a receiver of all messages pauses the stream with a promise, and is called after each batch [ST-21]", async () => {
  const stream = new PassThrough();
  const reader: LineReader = new LineReader(stream, { onEnd: () => reader.end(closed) });
  const seen: unknown[] = [];
  let goOn!: () => void;
  const take = (message: Incoming): MaybePromise<void> => {
    seen.push("method" in message && message.method);
    return seen.includes("b") ? new Promise((resolve) => (goOn = resolve)) : undefined;
  };
  const all = reader.receiveAll(take, () => seen.push("stopped"));
  stream.write(named("a") + named("b") + named("c"));
  await new Promise(setImmediate);
  expect(seen).toEqual(["stopped", "a", "b", "stopped"]);
  expect(stream.isPaused()).toBe(true);
  stream.end();
  goOn();
  await new Promise(setImmediate);
  expect(seen.slice(4)).toEqual(["c", "stopped"]);
  goOn();
  await expect(all).rejects.toBe(closed);
});

test("what fails to take a message hears of it and gets no more", async () => {
  for (const fail of [() => Promise.reject(new Error("late")), (): never => fails("at once")]) {
    const stream = new PassThrough();
    const reader = new LineReader(stream, { onEnd: () => undefined });
    let taken = 0;
    const all = reader.receiveAll(() => {
      taken++;
      return fail();
    });
    stream.write(named("a") + named("b"));
    await expect(all).rejects.toThrow(/late|at once/);
    expect(taken).toBe(1);
    expect(stream.isPaused()).toBe(true);
  }
});

test("nothing is taken that came with a line at which the connection is ended", async () => {
  const stream = new PassThrough();
  const taken: Incoming[] = [];
  const lines: string[] = [];
  const reader: LineReader = new LineReader(stream, {
    onEnd: () => undefined,
    onLine(line) {
      lines.push(line);
      if (line === "{") reader.drain(closed);
    },
  });
  const all = reader.receiveAll((message) => void taken.push(message));
  stream.write(`${named("a")}{\n${named("b")}`);
  await expect(all).rejects.toBe(closed);
  stream.write(named("c"));
  await new Promise(setImmediate);
  expect(stream.isPaused()).toBe(false);
  expect([lines, taken]).toEqual([[named("a").trim(), "{"], []]);
});

function fails(message: string): never {
  throw new Error(message);
}

test("a peer that floods leaves other work its turn, however its messages are taken", async () => {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const reader = new LineReader(stream, { onEnd: () => undefined });
  let taken = 0;
  reader.receiveAll(() => void taken++).catch(() => undefined);
  stream.write(named("a").repeat(600));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(taken).toBe(256);
  await expect.poll(() => taken).toBe(600);
});

test("a line that is not a message comes in its turn, and so does what follows, to the end [F1, ST-33]", async () => {
  const stream = new PassThrough();
  const reader: LineReader = new LineReader(stream, { onEnd: () => reader.end(closed) });
  stream.end('{\n{"jsonrpc":"2.0","method":"x"}\n{"id":7}');
  expect(await reader.receive()).toMatchObject({ error: { code: -32700 } });
  expect(await reader.receive()).toEqual({ jsonrpc: "2.0", method: "x" });
  expect(await reader.receive()).toMatchObject({ id: 7, error: { code: -32600 } });
  await expect(reader.receive()).rejects.toBe(closed);
});

test("nor does what takes all messages get one before its turn [ST-33]", async () => {
  const stream = new PassThrough();
  const seen: unknown[] = [];
  const reader: LineReader = new LineReader(stream, { onEnd: () => reader.end(closed) });
  const all = reader.receiveAll((incoming) => void seen.push("method" in incoming ? incoming.method : incoming));
  stream.end(`${named("a")}{\n${named("b")}[]\n${named("c")}`);
  await expect(all).rejects.toBe(closed);
  expect(seen).toMatchObject(["a", { error: { code: -32700 } }, "b", { error: { code: -32600 } }, "c"]);
});

test("a line that is not UTF-8 comes in its turn, as the response it was meant as or without an id [S13 ST-33 F11]", async () => {
  const stream = new PassThrough();
  const reading = readAll(stream);
  const spoiled = (head: string): Buffer => Buffer.concat([Buffer.from(head), Buffer.of(0xff), Buffer.from('"}}\n')]);
  stream.write(spoiled('{"jsonrpc":"2.0","id":3,"method":"m","params":{"a":"'));
  stream.write('{"jsonrpc":"2.0","method":"x"}\n');
  stream.end(spoiled('{"jsonrpc":"2.0","id":3,"result":{"a":"'));
  const error = { code: -32700, message: "Parse error: not valid UTF-8" };
  expect((await reading).messages).toMatchObject([
    { id: null, isResponse: false, error },
    { method: "x" },
    { id: 3, isResponse: true, error },
  ]);
});
