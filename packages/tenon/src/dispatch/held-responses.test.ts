/** The pause between the last progress of a request and its response, on the transports whose peers read both at once. */
import { describe, expect, it } from "vitest";
import { ScriptedTransport } from "../../test/support/scripted-transport.ts";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import type { OnRequest } from "./dispatcher.ts";
import { PAUSE_AFTER_PROGRESS } from "./held-responses.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "./json-rpc-dispatcher.ts";

const PROGRESS = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 1 } };
const request = (id: number, method: string): object => ({ jsonrpc: "2.0", id, method });
const response = (id: number): object => ({ jsonrpc: "2.0", id, result: {} });

const report: OnRequest = async (inbound) => {
  if (inbound.method === "report") await inbound.notify(PROGRESS.method, PROGRESS.params);
  return {};
};

/** A transport whose peer may read several messages at once. */
class ScriptedPipe extends ScriptedTransport {
  /** How many messages had been sent when they were to be written at once. */
  readonly written: number[] = [];

  writeNow(): void {
    this.written.push(this.sent.length);
  }
}

/** A dispatcher over a transport: "report" sends progress before it returns, "quiet" only returns. */
function serve(
  options: JsonRpcDispatcherOptions = {},
  transport = new ScriptedPipe(),
): {
  transport: ScriptedPipe;
  clock: VirtualClock;
  dispatcher: JsonRpcDispatcher;
  errors: Error[];
} {
  const clock = new VirtualClock();
  const errors: Error[] = [];
  const dispatcher = new JsonRpcDispatcher(transport, { clock, onError: (error) => void errors.push(error), ...options });
  void dispatcher.run(report, () => undefined);
  return { transport, clock, dispatcher, errors };
}

describe("The response to a request that sent progress", () => {
  it("waits until the peer can have read the progress, which is written before", async () => {
    const { transport, clock, errors } = serve();
    transport.push(request(1, "report"));
    await turn();
    expect([transport.sent, transport.written]).toEqual([[PROGRESS], [1]]);
    await clock.advance(PAUSE_AFTER_PROGRESS);
    expect(transport.sent).toEqual([PROGRESS, response(1)]);
    expect([transport.written, errors]).toEqual([[1], []]);
  });

  it("does not wait where the peer sees each message by itself", async () => {
    const transport = new ScriptedTransport();
    const dispatcher = new JsonRpcDispatcher(transport, { clock: new VirtualClock() });
    void dispatcher.run(report, () => undefined);
    transport.push(request(1, "report"));
    await turn();
    expect(transport.sent).toEqual([PROGRESS, response(1)]);
  });

  it("holds up no other response, and sets no timer for one", async () => {
    const { transport, clock } = serve();
    transport.push(request(1, "quiet"));
    await turn();
    const timers = clock.pending;
    transport.push(request(2, "report"));
    transport.push(request(3, "quiet"));
    await turn();
    expect(clock.pending).toBe(timers + 1);
    expect(transport.sent).toEqual([response(1), PROGRESS, response(3)]);
    await clock.advance(PAUSE_AFTER_PROGRESS);
    expect(transport.sent.at(-1)).toEqual(response(2));
  });

  it("is sent once, also if the request is cancelled meanwhile or its id is used again", async () => {
    const { transport, clock } = serve();
    transport.push(request(1, "report"));
    await turn();
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    transport.push(request(1, "quiet"));
    await turn();
    expect(transport.sent).toEqual([PROGRESS, response(1)]);
    await clock.advance(10 * PAUSE_AFTER_PROGRESS);
    expect(transport.sent).toEqual([PROGRESS, response(1), response(1)]);
  });

  it("is not sent if the request was cancelled before", async () => {
    const transport = new ScriptedPipe();
    const clock = new VirtualClock();
    void new JsonRpcDispatcher(transport, { clock }).run(
      async (inbound) => {
        await inbound.notify(PROGRESS.method, PROGRESS.params);
        await new Promise((resolve) => inbound.signal.addEventListener("abort", resolve));
        return {};
      },
      () => undefined,
    );
    transport.push(request(1, "report"));
    await turn();
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await turn();
    await clock.advance(10 * PAUSE_AFTER_PROGRESS);
    expect(transport.sent).toEqual([PROGRESS]);
  });

  it("holds up the array of its batch", async () => {
    const { transport, clock, dispatcher } = serve();
    dispatcher.acceptsBatches = true;
    transport.push([request(1, "report"), request(2, "quiet")]);
    await turn();
    expect(transport.sent).toEqual([PROGRESS]);
    await clock.advance(PAUSE_AFTER_PROGRESS);
    expect(transport.sent).toEqual([PROGRESS, expect.arrayContaining([response(1), response(2)])]);
  });

  it("is sent before a drain ends, and the drain does not take longer for it", async () => {
    const { transport, clock, dispatcher } = serve({ drain: 1_000 });
    transport.push(request(1, "report"));
    await turn();
    let drained = false;
    void dispatcher.drain().then(() => (drained = true));
    await turn();
    expect([transport.sent, drained]).toEqual([[PROGRESS], false]);
    await clock.advance(PAUSE_AFTER_PROGRESS);
    expect([transport.sent, drained]).toEqual([[PROGRESS, response(1)], true]);
  });

  it("is sent at once when the connection is closed, and nothing is left behind", async () => {
    const { transport, clock, dispatcher, errors } = serve();
    transport.push(request(1, "report"));
    await turn();
    await dispatcher.close();
    expect(transport.sent).toEqual([PROGRESS, response(1)]);
    expect([clock.pending, errors]).toEqual([0, []]);
  });
});
