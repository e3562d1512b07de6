// What ten thousand streams cost that nothing is said on.
import { createServer } from "node:http";
import { Duplex } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { toNodeHandler } from "tenon/node";
import { VirtualClock } from "../support/virtual-clock.ts";
import { BOTH, mirrored, statelessBody } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const STREAMS = 10_000;
const MAX_BYTES = 20 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use, after what is garbage has gone. */
function used(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A connection without a network: Node's server reads what is pushed into it; what it writes is kept until it is taken. */
class Connection extends Duplex {
  said = "";

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.said += chunk.toString("latin1");
    done();
  }
}

const params = { notifications: { toolsListChanged: true } };
const body = JSON.stringify(statelessBody("subscriptions/listen", params));
const headers = {
  Host: "localhost",
  "Content-Type": "application/json",
  Accept: BOTH,
  ...mirrored("subscriptions/listen", params),
};
const head = Object.entries({ ...headers, "Content-Length": body.length }).map(([name, value]) => `${name}: ${value}`);
const REQUEST = Buffer.from(["POST /mcp HTTP/1.1", ...head, "", body].join("\r\n"));

test("10 000 quiet streams share one timer, cost less than 20 KB each, and are all told of a change [fault H12 U3]", async () => {
  const clock = new VirtualClock();
  const server = testServer({ clock });
  server.tool("hello", {}, () => "Hello");
  const handler = toNodeHandler(server, { clock, streams: { max: STREAMS } });
  const listener = createServer(handler);
  const connections: Connection[] = [];
  const open = (): void => {
    const connection = new Connection();
    connections.push(connection);
    listener.emit("connection", connection);
    connection.push(REQUEST);
  };
  const waiting = (): number => connections.filter(({ said }) => !said.includes("acknowledged")).length;
  open();
  await expect.poll(waiting).toBe(0);
  const before = used();
  while (connections.length < STREAMS) open();
  await expect.poll(waiting).toBe(0);
  expect((used() - before) / (STREAMS - 1)).toBeLessThan(MAX_BYTES);
  // One timer of the endpoint, one that looks for slow bodies once more.
  await clock.advance(1_000);
  expect(clock.pending).toBe(1);
  await clock.advance(30_000);
  expect(connections.filter(({ said }) => said.includes("\n:"))).toHaveLength(STREAMS);
  expect(clock.pending).toBe(1);
  server.tool("more", {}, () => "");
  await expect.poll(() => connections.every(({ said }) => said.includes("list_changed")), { interval: 5 }).toBe(true);
  await handler.close();
});
