/** A transport as a pair of streams: what passes in each direction, and the end of both. */
import { describe, expect, it } from "vitest";
import { createStreamsPair } from "../../../test/support/sources.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { createMemoryPair } from "../../transport/memory.ts";
import { StreamTransport } from "../../transport/stream-transport.ts";
import { toStreams } from "./transport-streams.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

describe("A transport as a pair of streams [SM-07 SM-08]", () => {
  it("carries the same messages, and metadata in both directions [SM-04 SM-07]", async () => {
    const [near, far] = createStreamsPair(4);
    const there = toStreams(new StreamTransport(near));
    await there.write.send({ message: ping, metadata: { kind: "server", relatedRequestId: 0 } });
    await there.write.send({ message: ping, metadata: { kind: "client", resumptionToken: "t" } });
    await there.write.send({ message: ping, metadata: { kind: "server" } });
    const items = far.read[Symbol.asyncIterator]();
    expect((await items.next()).value).toEqual({ message: ping, metadata: { kind: "server", relatedRequestId: 0 } });
    expect((await items.next()).value).toEqual({ message: ping, metadata: { kind: "client", resumptionToken: "t" } });
    expect((await items.next()).value).toEqual({ message: ping });
    await far.write.send({ message: ping, metadata: { kind: "server", request: 1 } });
    expect(await there.read[Symbol.asyncIterator]().next()).toEqual({
      done: false,
      value: { message: ping, metadata: { kind: "server", request: 1 } },
    });
  });

  it("gives errors as values, the messages of a batch one by one, and ends with the connection [SM-05]", async () => {
    const [near, far] = createMemoryPair();
    const { read } = toStreams(near);
    await far.send([ping, { ...ping, id: 2 }]);
    await far.send({ jsonrpc: "2.0", id: 3, result: {} });
    await far.send({ jsonrpc: "2.0", id: -1.5, method: "x" });
    await far.close();
    const seen: unknown[] = [];
    for await (const item of read) seen.push(item instanceof Error ? "error" : (item.message as { id: number }).id);
    expect(seen).toEqual([1, 2, 3, "error"]);
  });

  it("leaving its scope closes the transport, whatever happened in it [SM-08]", async () => {
    const [near] = createMemoryPair();
    const using = async (): Promise<void> => {
      await using streams = toStreams(near);
      await streams.write.send({ message: ping });
      throw new Error("in the middle");
    };
    await expect(using()).rejects.toThrow("in the middle");
    expect(() => near.send(ping)).toThrow(ConnectionClosedError);
  });
});
