// Which bodies of a server are the response to a call, how much of them is read, and what the call fails with otherwise (C3, C6,
// E1.3).
import { gzipSync } from "node:zlib";
import { connect, UnusableResponseError, type HttpServerParameters, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { quiet, scriptedHttp, stateful, stateless, type Reply, type Received } from "./scripted-http.ts";

const JSON_TYPE = { "content-type": "application/json" };
const text = (content: string): JsonObject => ({ content: [{ type: "text", text: content }], resultType: "complete" });

/** A client of a stateless server that meets every call with `answer`, and the errors that it reports. */
async function meeting(answer: (reply: Reply, request: Received) => void, server: Partial<HttpServerParameters> = {}) {
  const http = await scriptedHttp(stateless((request, reply) => answer(reply, request)));
  const errors: Error[] = [];
  const client = await closing(
    connect({ url: http.url, ...server }, { validateOutput: false, onError: (error) => void errors.push(error) }),
  );
  return { http, client, errors };
}

/** A client whose calls of tools get that response: one that no server over sockets gives. */
async function given(response: (id: number) => Response) {
  const http = await scriptedHttp(stateless());
  const own: Fetch = async (url, init) => {
    const { method, id } = JSON.parse(init.body!) as { method: string; id: number };
    return method === "tools/call" ? response(id) : fetch(url, init as RequestInit);
  };
  return closing(connect({ url: http.url, fetch: own }, { validateOutput: false }));
}

describe("a JSON body is the response if it holds the response to this call [fault C6]", () => {
  test.each<[string, (id: unknown) => unknown, JsonObject]>([
    [
      "a request that is malformed and has its id",
      (id) => ({ jsonrpc: "2.0", id, method: 5 }),
      { name: "UnusableResponseError" },
    ],
    [
      "a batch without it",
      (id) => [
        { jsonrpc: "2.0", id: 4711, result: {} },
        { jsonrpc: "2.0", id, method: 5 },
      ],
      { name: "UnusableResponseError" },
    ],
    [
      "an error for another call",
      () => ({ jsonrpc: "2.0", id: 4711, error: { code: -32602, message: "no" } }),
      { name: "UnusableResponseError" },
    ],
    [
      "its response, malformed",
      (id) => ({ jsonrpc: "2.0", id, result: 7 }),
      { code: -32600, message: expect.stringContaining("result") as string },
    ],
    [
      "an error for a request whose id could not be read",
      () => ({ jsonrpc: "2.0", id: null, error: { code: -32602, message: "no" } }),
      { code: -32602, message: "no" },
    ],
    [
      "an error without an id",
      () => ({ jsonrpc: "2.0", error: { code: -32000, message: "busy" } }),
      { code: -32000, message: "busy" },
    ],
  ])("%s", async (_what, body, failure) => {
    const { client, http } = await meeting((reply, { message }) => reply.json(body(message["id"])));
    expect(await failureOf(client.callTool("t", {}, { timeout: 5_000 }))).toMatchObject(failure);
    expect(http.methods).toHaveLength(2);
  });

  test.each<[string, (reply: Reply) => void, string]>([
    ["no content", (reply) => void reply.response.writeHead(202).end(), "HTTP 202 and no content"],
    ["a page", (reply) => reply.text("<html>"), "HTTP 200 and text/html"],
    [
      "a page with a charset",
      (reply) => reply.text("<html>", 200, { "content-type": "Text/HTML; charset=utf-8" }),
      "HTTP 200 and text/html",
    ],
    ["other JSON", (reply) => reply.json({ hello: 1 }), 'something else: {\\"hello\\":1}'],
  ])("the error says what came: %s", async (_what, answer, came) => {
    const { client, http } = await meeting(answer);
    const { message } = await failureOf(client.callTool("t"));
    expect(message).toBe(`${http.url} answered "tools/call" with ${came}`);
  });

  test("a media type counts without its parameters, in any case", async () => {
    const { client } = await meeting((reply, { message }) =>
      reply.json({ jsonrpc: "2.0", id: message["id"], result: text("x") }, 200, {
        "content-type": "Application/JSON ; charset=utf-8",
      }),
    );
    expect((await client.callTool("t")).text).toBe("x");
  });

  test("no body at all is not the response", async () => {
    const client = await given(() => new Response(null, { headers: JSON_TYPE }));
    expect(await failureOf(client.callTool("t"))).toBeInstanceOf(UnusableResponseError);
  });

  test.each(["many", "-", "1e400", "0.5"])(
    "a body is read to its end if its length is not a number of bytes: %s",
    async (length) => {
      const client = await given((id) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id, result: text("all") });
        return new Response(body, { headers: { ...JSON_TYPE, "content-length": length } });
      });
      expect((await client.callTool("t")).text).toBe("all");
    },
  );

  test("characters that are cut between two packets come together", async () => {
    const { client } = await meeting((reply, { message }) => {
      const bytes = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result: text("€".repeat(5_000)) }));
      reply.response.writeHead(200, JSON_TYPE);
      const chunks = [bytes.subarray(0, 5_000), bytes.subarray(5_000, 10_001), bytes.subarray(10_001)];
      const next = (): void => {
        const chunk = chunks.shift();
        if (chunk === undefined) reply.response.end();
        else reply.response.write(chunk, () => setImmediate(next));
      };
      next();
    });
    expect((await client.callTool("t")).text).toBe("€".repeat(5_000));
  });
});

describe("the limit of a response is exact [C3 rule R6]", () => {
  const bodyOf = (id: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result: text("x".repeat(500)) });
  const ways: [string, (reply: Reply, body: string) => void][] = [
    [
      "with a length",
      ({ response }, body) => void response.writeHead(200, { ...JSON_TYPE, "content-length": body.length }).end(body),
    ],
    ["in chunks", ({ response }, body) => void response.writeHead(200, JSON_TYPE).write(body, () => response.end())],
    [
      "compressed, with a length",
      ({ response }, body) => {
        const packed = gzipSync(body);
        response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip", "content-length": packed.length }).end(packed);
      },
    ],
  ];
  test.each(ways)("%s", async (_way, answer) => {
    const max = bodyOf(1).length;
    for (const [limit, isTaken] of [
      [max, true],
      [max - 1, false],
    ] as const) {
      const { client } = await meeting((reply, { message }) => answer(reply, bodyOf(message["id"])), {
        limits: { maxResponseBytes: limit },
      });
      const call = client.callTool("t");
      if (isTaken) expect((await call).text).toHaveLength(500);
      else expect(await failureOf(call)).toMatchObject({ limit: "limits.maxResponseBytes", max: limit });
    }
  });

  test.each<[string, (reply: Reply) => void, number | undefined]>([
    [
      "of its length alone",
      ({ response }) => void response.writeHead(200, { ...JSON_TYPE, "content-length": "300000" }).write("{"),
      300_000,
    ],
    [
      "when too much of it is there",
      ({ response }) => void response.writeHead(200, JSON_TYPE).write(" ".repeat(60_000)),
      undefined,
    ],
  ])("a body that is refused because %s is not received any further", async (_when, answer, actual) => {
    let held: Reply | undefined;
    const { client } = await meeting(
      (reply) => {
        held = reply;
        answer(reply);
      },
      { limits: { maxResponseBytes: 50_000 } },
    );
    const error = await failureOf(client.callTool("t"));
    expect(error.data).toMatchObject({ limit: "limits.maxResponseBytes", max: 50_000, ...(actual !== undefined && { actual }) });
    await held!.gone;
  });
});

describe("in a stream, only the response to the call ends it [fault C6]", () => {
  const streams = (events: (id: unknown) => unknown[], options: { sessionId?: string } = {}) =>
    quiet(
      stateful(({ message }, reply) => {
        if (message["method"] !== "tools/call") return void reply.response.writeHead(202).end();
        reply.stream();
        for (const event of events(message["id"])) reply.event(event);
        reply.response.end();
      }, options),
    );

  test("the response to another call, and what is malformed, are reported, and get no response", async () => {
    const http = await scriptedHttp(
      streams((id) => [
        { jsonrpc: "2.0", id: 4711, result: text("not yours") },
        { jsonrpc: "2.0", id, method: 5 },
        { jsonrpc: "2.0", id, result: text("yours") },
      ]),
    );
    const errors: Error[] = [];
    const client = await closing(connect(http.url, { validateOutput: false, onError: (error) => void errors.push(error) }));
    expect((await client.callTool("t")).text).toBe("yours");
    expect((await client.callTool("t")).text).toBe("yours");
    expect(errors.length).toBeGreaterThanOrEqual(2);
    expect(http.methods).not.toContain("answer");
  });

  test("the stream of a response that has an event id is not resumed", async () => {
    const http = await scriptedHttp(
      quiet(
        stateful(({ message }, reply) => {
          reply.stream();
          reply.event({ jsonrpc: "2.0", id: message["id"], result: text("done") }, "e-1");
          reply.response.end("retry: 0\n\n");
        }),
      ),
    );
    const client = await closing(connect(http.url, { validateOutput: false }));
    expect((await client.callTool("t")).text).toBe("done");
    expect((await client.callTool("t")).text).toBe("done");
    expect(http.requests.filter(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([]);
  });

  test("an empty event id ends that the stream can be resumed: the call fails when the stream ends [C5]", async () => {
    const http = await scriptedHttp(
      quiet(
        stateful((_request, reply) => {
          reply.stream();
          reply.response.end("id: e-1\nretry: 0\ndata:\n\nid:\ndata:\n\n");
        }),
      ),
    );
    const client = await closing(connect(http.url, { validateOutput: false }));
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
    expect(http.requests.filter(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([]);
  });

  test("the response on a resumed stream belongs to the later call; what comes before is no response [CS-22]", async () => {
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "heard" } };
    const http = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "POST") return void reply.response.writeHead(202).end();
        if (request.headers["last-event-id"] === undefined) return reply.text("", 405);
        reply.stream();
        for (const event of [{ jsonrpc: "2.0", id: "a", method: 5 }, log, { jsonrpc: "2.0", id: 99, result: text("late") }])
          reply.event(event);
        reply.response.end();
      }),
    );
    const logs: unknown[] = [];
    const client = await closing(
      connect(http.url, { validateOutput: false, onError: () => undefined, onLog: ({ data }) => void logs.push(data) }),
    );
    const metadata = { kind: "client", resumptionToken: "e-1" } as const;
    expect((await client.callTool("t", {}, { metadata })).text).toBe("late");
    expect(logs).toEqual(["heard"]);
    expect(http.methods).not.toContain("answer");
  });
});
