/** Responders as programs use them that respond themselves, without any connection. */
import { expect, it, vi } from "vitest";
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { RequestResponder, type RequestResponderOptions } from "./request-responder.ts";

interface Sent {
  readonly id: unknown;
  readonly response: unknown;
}

function create(more: Partial<RequestResponderOptions<{ method: string }>> = {}): {
  responder: RequestResponder<{ method: string }>;
  sent: Sent[];
  completed: unknown[];
} {
  const sent: Sent[] = [];
  const completed: unknown[] = [];
  const responder = new RequestResponder({
    requestId: 7,
    request: { method: "tools/list" },
    session: { sendResponse: (id, response) => void sent.push({ id, response }) },
    onComplete: (done) => void completed.push(done),
    ...more,
  });
  return { responder, sent, completed };
}

it("keeps what it is given, and starts in flight [RR-01 RR-02 RR-14 RR-15 RR-16]", () => {
  const metadata = { kind: "server", request: { headers: {} } } as const;
  const { responder } = create({ requestMeta: { progressToken: 0 }, messageMetadata: metadata, context: (fn) => fn() });
  expect(responder).toMatchObject({ requestId: 7, request: { method: "tools/list" }, requestMeta: { progressToken: 0 } });
  expect(responder.messageMetadata).toBe(metadata);
  expect(responder.context?.(() => 1)).toBe(1);
  expect(responder).toMatchObject({ inFlight: true, cancelled: false });
  expect(create().responder).toMatchObject({ requestMeta: undefined, messageMetadata: undefined, context: undefined });
});

it("entering gives it a signal of its own, and the responder back [RR-03]", () => {
  const { responder } = create();
  const before = responder.signal;
  expect(responder.enter()).toBe(responder);
  expect(responder.signal).not.toBe(before);
});

it("leaving completes only requests with a response, and always leaves [RR-04]", async () => {
  const { responder, completed } = create();
  responder.enter()[Symbol.dispose]();
  expect(completed).toEqual([]);
  expect(responder.inFlight).toBe(true);
  expect(() => responder[Symbol.dispose]()).toThrow(new McpUsageError("No active cancel scope"));
  {
    using again = responder.enter();
    await again.respond({ tools: [] });
    expect(completed).toEqual([]);
  }
  expect(completed).toEqual([responder]);
  const throwing = create({
    onComplete: () => {
      throw new Error("full");
    },
  }).responder.enter();
  await throwing.respond({});
  expect(() => throwing[Symbol.dispose]()).toThrow("full");
  await expect(throwing.respond({})).rejects.toThrow("must be used as a context manager");
});

it("responding or cancelling outside of it is misuse [RR-05 RR-10]", async () => {
  const { responder, sent } = create();
  const misuse = new McpUsageError("RequestResponder must be used as a context manager");
  await expect(responder.respond({})).rejects.toThrow(misuse);
  await expect(responder.cancel()).rejects.toThrow(misuse);
  expect(sent).toEqual([]);
});

it("responds once, even while the response is still being written [RR-06 RR-08]", async () => {
  let written!: () => void;
  const sendResponse = vi.fn<() => Promise<void>>(() => new Promise((resolve) => (written = resolve)));
  const { responder } = create({ session: { sendResponse } });
  responder.enter();
  const first = responder.respond({ tools: [] });
  expect(responder.inFlight).toBe(false);
  await expect(responder.respond({ tools: [] })).rejects.toThrow(new McpUsageError("Request already responded to"));
  written();
  await first;
  expect(sendResponse).toHaveBeenCalledTimes(1);
});

it("after a cancel by the peer a response is dropped [RR-07 RR-12 RR-13]", async () => {
  const abort = new AbortController();
  const { responder, sent, completed } = create({ signal: abort.signal });
  responder.enter();
  expect(responder).toMatchObject({ cancelled: false, inFlight: true });
  abort.abort(new Error("the peer gave up"));
  expect(responder).toMatchObject({ cancelled: true, inFlight: false });
  expect(responder.signal.reason).toEqual(new Error("the peer gave up"));
  await responder.respond({});
  await responder.respond({});
  expect(sent).toEqual([]);
  responder[Symbol.dispose]();
  expect(completed).toEqual([]);
});

it("one that was cancelled before it was entered stays cancelled [RR-03 RR-13]", () => {
  const { responder } = create({ signal: AbortSignal.abort(new Error("early")) });
  expect(responder.cancelled).toBe(true);
  expect(responder.enter().cancelled).toBe(true);
});

it("an error object is sent as an error's data, a result as it is [RR-09]", async () => {
  const { responder, sent } = create();
  await responder.enter().respond({ code: -32602, message: "No", data: { a: 1 } });
  expect(sent).toEqual([{ id: 7, response: { code: -32602, message: "No", data: { a: 1 } } }]);
});

it("cancelling aborts, then responds with an error, never code 0; later responses are dropped [RR-11 RR-07 CF-02]", async () => {
  const { responder, sent, completed } = create();
  responder.enter();
  const order: string[] = [];
  responder.signal.addEventListener("abort", () => order.push(`aborted before ${sent.length} answers`));
  await responder.cancel("no longer wanted");
  expect(order).toEqual(["aborted before 0 answers"]);
  expect(sent).toEqual([{ id: 7, response: { code: -32800, message: "Request cancelled: no longer wanted" } }]);
  await responder.respond({});
  await responder.cancel();
  expect(sent).toHaveLength(1);
  responder[Symbol.dispose]();
  expect(completed).toEqual([responder]);
});

it("cancelling after the response changes nothing [RR-11]", async () => {
  const { responder, sent } = create();
  await responder.enter().respond({});
  await responder.cancel();
  expect(responder.cancelled).toBe(false);
  expect(sent).toHaveLength(1);
});
