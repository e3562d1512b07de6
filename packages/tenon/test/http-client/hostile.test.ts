// Servers over HTTP that try to make the client work: floods of requests, requests where none are allowed, huge event ids.
import { connect, LimitExceededError, ProtocolViolationError, type ConnectOptions, type JsonObject } from "tenon";
import { expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { quiet, scriptedHttp, stateful, stateless } from "./scripted-http.ts";
import { gate } from "../support/gate.ts";

const open = (url: string, options?: ConnectOptions) => closing(connect(url, { validateOutput: false, ...options }));
const answer = (id: unknown): JsonObject => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: "done" }], resultType: "complete" },
});
const ping = (id: number): JsonObject => ({ jsonrpc: "2.0", id, method: "ping" });

/** As many requests of the server as that, in one write. */
const flood = (count: number): string =>
  Array.from({ length: count }, (_, id) => `data: ${JSON.stringify(ping(id))}\n\n`).join("");

test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
  "A flood of requests on the stream of a call ends that call, %s",
  async (version) => {
    const script = quiet(
      stateful(
        ({ message }, reply) => {
          if (message["method"] === undefined) return void reply.response.writeHead(202).end();
          reply.stream();
          if ((message["params"] as JsonObject)["name"] === "flood") reply.response.write(flood(2_000));
          reply.event(answer(message["id"]));
          reply.response.end();
        },
        { version },
      ),
    );
    const server = await scriptedHttp(script);
    const errors: Error[] = [];
    const clock = new VirtualClock(); // all of it comes within no time
    const client = await open(server.url, { clock, limits: { maxRequestRate: 20 }, onError: (error) => void errors.push(error) });
    const failure = await failureOf(client.callTool("flood"));
    expect(failure).toBeInstanceOf(LimitExceededError);
    expect(failure).toMatchObject({ limit: "limits.maxRequestRate", max: 20 });
    expect(errors).toEqual([failure]);
    expect((await client.callTool("t")).text).toBe("done");
    expect(server.methods.filter((method) => method === "answer").length).toBeLessThanOrEqual(20);
  },
);

test("Of a flood on the standing stream 500 requests get a response, and the stream is not opened again", async () => {
  const script = stateful(({ method, message }, reply) => {
    if (method !== "GET")
      return message["method"] === undefined ? void reply.response.writeHead(202).end() : reply.json(answer(message["id"]));
    reply.stream();
    reply.response.write(flood(2_000));
  });
  const server = await scriptedHttp(script);
  const told: Error[] = [];
  const { opened: reported, open: report } = gate();
  const onError = (error: Error): void => {
    told.push(error);
    report();
  };
  const client = await open(server.url, { clock: new VirtualClock(), onError });
  await reported;
  await server.received("answer", 500);
  expect((await client.callTool("t")).text).toBe("done");
  expect(told[0]).toMatchObject({ limit: "limits.maxRequestRate", max: 500 });
  expect(server.methods.filter((method) => method === "GET")).toHaveLength(1);
  expect(server.methods.filter((method) => method === "answer")).toHaveLength(500);
});

test("A request of a stateless server ends the call it came with, and gets no response", async () => {
  const server = await scriptedHttp(
    stateless(async ({ message }, reply) => {
      reply.stream();
      if ((message["params"] as JsonObject)["name"] === "t") return reply.event(answer(message["id"]));
      reply.response.write(flood(2_000));
      await reply.gone;
    }),
  );
  const client = await open(server.url);
  const failure = await failureOf(client.callTool("asks"));
  expect(failure).toBeInstanceOf(ProtocolViolationError);
  expect(failure.message).toBe('The server sent a request while it answered "tools/call": this revision does not allow that');
  expect((await client.callTool("t")).text).toBe("done");
  expect(server.methods).toEqual(["server/discover", "tools/call", "tools/call"]);
});

test.each([
  ["longer than 1 KiB", "x".repeat(1025)],
  ["of 1 MB", "x".repeat(1_000_000)],
  ["outside ASCII", "naïve"],
  ["with a space", "a b"],
])("An event id %s is ignored: the stream is resumed from the one before", async (_, id) => {
  const server = await scriptedHttp(
    stateful(({ method, headers, message }, reply) => {
      if (method === "GET" && headers["last-event-id"] === undefined) return reply.text("", 405);
      reply.stream();
      if (method === "GET") reply.event(answer(callId));
      else {
        callId = message["id"];
        reply.response.write(`retry: 0\nid: ${"y".repeat(1024)}\ndata:\n\n`);
        for (let times = 0; times < 3; times++) reply.response.write(`id: ${id}\ndata:\n\n`);
      }
      reply.response.end();
    }),
  );
  let callId: unknown;
  const errors: Error[] = [];
  const tokens: string[] = [];
  const client = await open(server.url, { onError: (error) => void errors.push(error) });
  const metadata = { kind: "client", onResumptionToken: (token: string) => void tokens.push(token) } as const;
  expect((await client.callTool("t", {}, { metadata })).text).toBe("done");
  expect(server.requests.at(-1)!.headers["last-event-id"]).toBe("y".repeat(1024));
  expect(tokens).toEqual(["y".repeat(1024)]);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("gave an event id that is not 1 to 1024 characters"),
  ]);
});
