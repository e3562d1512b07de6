/** The adapter between pairs of streams and transports, both ways. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MalformedMessage } from "../jsonrpc/incoming.ts";
import { JsonText } from "../jsonrpc/message.ts";
import { ConnectionClosedError, McpError } from "../jsonrpc/mcp-error.ts";
import { createStreamsPair } from "../../test/support/sources.ts";
import { createContextStreams } from "../compat/python/context-streams.ts";
import type { MessageReader, MessageWriter, SessionMessage } from "./session-message.ts";
import { StreamTransport } from "./stream-transport.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

describe("A pair of streams as a transport [SM-01 SM-07]", () => {
  it("carries messages both ways; metadata stays beside them [SM-01 SM-03]", async () => {
    const [near, far] = createStreamsPair(4);
    const transport = new StreamTransport(near);
    await transport.send(ping);
    await transport.send({ jsonrpc: "2.0", method: "a" }, { relatedRequestId: 0 });
    await transport.send(ping, { metadata: { kind: "client", resumptionToken: "t" } });
    const items = far.read[Symbol.asyncIterator]();
    expect((await items.next()).value).toEqual({ message: ping });
    expect((await items.next()).value).toEqual({
      message: { jsonrpc: "2.0", method: "a" },
      metadata: { kind: "server", relatedRequestId: 0 },
    });
    expect((await items.next()).value).toEqual({ message: ping, metadata: { kind: "client", resumptionToken: "t" } });
    await far.write.send({ message: ping, metadata: { kind: "server", canSendRequest: false } });
    expect(await transport.receive()).toEqual(ping);
    expect(transport.lastMetadata).toEqual({ kind: "server", canSendRequest: false });
  });

  it("shares nothing with what it was given, and writes results as values [CV-03]", async () => {
    const [near, far] = createStreamsPair(4);
    const transport = new StreamTransport(near);
    const params = { a: { b: 1 }, absent: undefined, nothing: null };
    await transport.send({ ...ping, params });
    await transport.send([
      { jsonrpc: "2.0", id: 1, result: new JsonText('{"c":null}') },
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
    const items = far.read[Symbol.asyncIterator]();
    const first = (await items.next()).value as SessionMessage;
    expect(first.message).toStrictEqual({ ...ping, params: { a: { b: 1 }, nothing: null } });
    params.a.b = 2;
    expect(first.message).toMatchObject({ params: { a: { b: 1 } } });
    expect((await items.next()).value).toEqual({ message: { jsonrpc: "2.0", id: 1, result: { c: null } } });
    expect((await items.next()).value).toEqual({ message: { jsonrpc: "2.0", id: 2, result: {} } });
  });

  it("error values are reported unchanged and get no response; malformed messages are distinguished [SM-05 BS-40]", async () => {
    const [near, far] = createStreamsPair(4);
    const transport = new StreamTransport(near);
    const own = new McpError(-32700, "Parse error");
    for (const item of [new Error("garbage"), own, { message: { jsonrpc: "1.0", id: 3 } as never }, { message: ping }]) {
      await (far.write as ReturnType<typeof createContextStreams>[0]).send(item);
    }
    const received = [await transport.receive(), await transport.receive(), await transport.receive()] as MalformedMessage[];
    expect(received[0]).toMatchObject({ isResponse: true, id: null, error: { code: -32700, message: "garbage" } });
    expect(received[0]!.error.cause).toEqual(new Error("garbage"));
    expect(received[1]!.error).toBe(own);
    expect(received[2]).toMatchObject({ isResponse: false, id: 3, error: { code: -32600 } });
    expect(await transport.receive()).toEqual(ping);
  });

  it("the end of the reader, or its failure, is the end of the connection [SM-05 BS-48]", async () => {
    const [near, far] = createStreamsPair();
    const transport = new StreamTransport(near);
    const waiting = transport.receive();
    await far.write[Symbol.asyncDispose]();
    await expect(waiting).rejects.toThrow(ConnectionClosedError);
    const broken = new StreamTransport({ ...near, read: readerOf(() => Promise.reject(new Error("cable cut"))) });
    await expect(broken.receive()).rejects.toMatchObject({ code: -32000, cause: new Error("cable cut") });
  });

  it("closing disposes of both, ends a read under way, and is bounded [SM-08 BS-06]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const disposed: string[] = [];
    const never = new Promise<never>(() => undefined);
    const read = Object.assign(
      readerOf(() => never),
      { [Symbol.asyncDispose]: () => (disposed.push("read"), never) },
    );
    const write: MessageWriter = {
      send: () => never,
      [Symbol.asyncDispose]: () => Promise.reject(new Error(String(disposed.push("write")))),
    };
    const transport = new StreamTransport({ read, write });
    const waiting = transport.receive();
    const closing = transport.close();
    await expect(waiting).rejects.toThrow(ConnectionClosedError);
    await vi.advanceTimersByTimeAsync(2_000);
    await closing;
    await transport.close();
    expect(disposed).toEqual(["write", "read"]);
    await expect(transport.send(ping)).rejects.toThrow(ConnectionClosedError);
    await expect(transport.receive()).rejects.toThrow(ConnectionClosedError);
  });

  it("a write that fails is its caller's [SM-06 BS-22]", async () => {
    const [near] = createStreamsPair();
    const transport = new StreamTransport({
      read: near.read,
      write: { send: () => Promise.reject(new Error("disk full")), [Symbol.asyncDispose]: () => Promise.resolve() },
    });
    await expect(transport.send(ping)).rejects.toThrow("disk full");
  });
});

function readerOf(next: () => Promise<IteratorResult<SessionMessage | Error>>): MessageReader {
  return { [Symbol.asyncIterator]: () => ({ next }), [Symbol.asyncDispose]: () => Promise.resolve() };
}
