// Answers that come as streams, streams that break, and coming back to them (requirements E1, E3; C2, C4, C5).
import { connect, ConnectionLostError, type ConnectOptions, type HttpServerParameters, type JsonObject } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { RecordingClock, VirtualClock } from "../support/virtual-clock.ts";
import { quiet, scriptedHttp, stateful, stateless, type Reply } from "./scripted-http.ts";

const open = (server: string | HttpServerParameters, options?: ConnectOptions) =>
  closing(connect(server, { validateOutput: false, ...options }));
const answer = (id: unknown, text = "done"): JsonObject => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }], resultType: "complete" },
});

/** A stateful server that answers each tool call with these bytes; `ID` stands for its id, in JSON. */
const streaming = (bytes: (id: string) => string | readonly string[]) =>
  quiet(
    stateful((request, reply) => {
      reply.stream();
      const chunks = [bytes(JSON.stringify(request.message["id"]))].flat();
      const next = (): void => {
        const chunk = chunks.shift();
        if (chunk === undefined) reply.response.end();
        else reply.response.write(chunk, () => setImmediate(next));
      };
      next();
    }),
  );

describe("any form of a stream that the standard allows [C4]", () => {
  const body = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`;
  test.each<[string, (id: string) => string | readonly string[]]>([
    ["CRLF", (id) => `data: ${body(id)}\r\n\r\n`],
    ["CR only", (id) => `data: ${body(id)}\r\r:\r`],
    ["CRLF split between chunks", (id) => [`data: ${body(id)}\r`, `\n\r`, `\n`]],
    ["one byte at a time", (id) => [..."id: 1\r\ndata: ", ...body(id), ..."\r\n\r\n"]],
    ["a byte order mark", (id) => `\uFEFFdata: ${body(id)}\n\n`],
    ["no space after the colon", (id) => `data:${body(id)}\n\n`],
    ["data in several lines", (id) => `data: {"jsonrpc":"2.0",\ndata: "id":${id},\ndata: "result":{"content":[]}}\n\n`],
    ["comments and unknown fields", (id) => `: hello\n\nfoo: bar\nbaz\n:\ndata: ${body(id)}\n\n`],
    ["an id with NUL and a retry that is none", (id) => `id: a\0b\nretry: abc\nretry: -1\nretry: 1e12\ndata: ${body(id)}\n\n`],
    ["events with empty data [E1.10]", (id) => `id: 1\ndata:\n\ndata: \n\ndata\n\ndata: ${body(id)}\n\n`],
    ["events of other types", (id) => `event: ping\ndata: not json\n\nevent: message\ndata: ${body(id)}\n\n`],
    ["many empty events", (id) => `${"\n".repeat(300_000)}data: ${body(id)}\n\n`],
  ])("%s", async (_, bytes) => {
    const server = await scriptedHttp(streaming(bytes));
    const client = await open(server.url);
    expect(await client.callTool("t")).toMatchObject({ content: [] });
  });

  test("a stream that has begun is read until its response, however long that takes", async () => {
    const clock = new VirtualClock();
    let reply: Reply | undefined;
    const server = await scriptedHttp(
      quiet(
        stateful((request, one) => {
          if (request.message["method"] !== "tools/call") return one.result({});
          one.stream();
          one.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "begun" } });
          reply = one;
          id = request.message["id"];
        }),
      ),
    );
    let id: unknown;
    const told: unknown[] = [];
    const client = await open(server.url, { clock, onLog: ({ data }) => void told.push(data) });
    const call = client.callTool("t");
    await expect.poll(() => told).toEqual(["begun"]);
    for (let seconds = 0; seconds < 20; seconds++) await clock.advance(1_000);
    reply!.event(answer(id));
    reply!.response.end();
    expect(await call).toMatchObject({ text: "done" });
  });

  test("an event that is not a message is reported, and the response still counts", async () => {
    const errors: Error[] = [];
    const server = await scriptedHttp(streaming((id) => `data: {]\n\ndata: ${body(id)}\n\n`));
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    await client.callTool("t");
    expect(errors).toMatchObject([{ code: -32700 }]);
  });

  test("an incomplete event is not a response: the call fails at once [C5]", async () => {
    const server = await scriptedHttp(streaming((id) => `data: ${body(id).slice(0, -1)}`));
    const client = await open(server.url);
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
  });

  test("a stream without a body is one that ended: the call fails", async () => {
    const server = await scriptedHttp(quiet(stateful((_, reply) => reply.stream())));
    const bodiless: Fetch = (url, init) =>
      init.body?.includes('"tools/call"') === true
        ? Promise.resolve(new Response(null, { headers: { "content-type": "text/event-stream" } }))
        : fetch(url, init);
    const client = await open({ url: server.url, fetch: bodiless });
    const error = await failureOf(client.callTool("t"));
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(error).toMatchObject({ outcome: "unknown", message: expect.stringContaining("ended before the answer") as string });
  });

  test("an event that never ends is cut at the limit [C3]", async () => {
    const server = await scriptedHttp(streaming(() => ["data: ", ...Array.from({ length: 40 }, () => "x".repeat(1000))]));
    const client = await open({ url: server.url, limits: { maxResponseBytes: 20_000 } });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ limit: "limits.maxResponseBytes", max: 20_000 });
  });
});

describe("messages before the response", () => {
  test("progress, notifications and requests of the server reach the client in order [E1.6]", async () => {
    let finish!: () => void;
    const server = await scriptedHttp(
      quiet(
        stateful((request, reply) => {
          if (request.message["method"] === undefined) {
            reply.response.writeHead(202).end();
            return finish();
          }
          const { id } = request.message;
          reply.stream();
          reply.event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: id, progress: 1 } });
          reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
          reply.event({ jsonrpc: "2.0", id: "ask", method: "roots/list" });
          finish = () => {
            reply.event(answer(id));
            reply.response.end();
          };
        }),
      ),
    );
    const seen: unknown[] = [];
    const client = await open(server.url, { roots: [{ uri: "file:///a" }], onLog: ({ data }) => void seen.push(data) });
    await client.callTool("t", {}, { onProgress: ({ progress }) => void seen.push(progress) });
    expect(seen).toEqual([1, "x"]);
    expect(server.requests.find(({ message }) => message["id"] === "ask")!.message).toMatchObject({
      result: { roots: [{ uri: "file:///a" }] },
    });
  });

  test("an array of responses, on the revision that has them [E1.3]", async () => {
    const script = stateful((request, reply) => reply.json([answer(request.message["id"])]), { version: "2025-03-26" });
    const server = await scriptedHttp(quiet(script));
    expect((await (await open(server.url)).callTool("t")).text).toBe("done");
  });

  test("the client ends a stream that the server leaves open after the response [E1.7]", async () => {
    const held: Reply[] = [];
    const server = await scriptedHttp(
      quiet(
        stateful((request, reply) => {
          held.push(reply);
          reply.stream();
          reply.event(answer(request.message["id"]));
        }),
      ),
    );
    const client = await open(server.url);
    expect((await client.callTool("t")).text).toBe("done");
    await held[0]!.gone;
  });
});

describe("resumption on stateful revisions [E3.2 E1.9]", () => {
  /** Each GET is given to the script of its number; the call's id is told to all. */
  const resumable = (begin: (reply: Reply) => void, ...resumed: ((reply: Reply, id: unknown) => void)[]) => {
    let id: unknown;
    return stateful((request, reply) => {
      if (request.message["method"] === "tools/call") {
        id = request.message["id"];
        reply.stream();
        return begin(reply);
      }
      if (request.method === "GET" && request.headers["last-event-id"] !== undefined) return resumed.shift()?.(reply, id);
      return void reply.response.writeHead(405).end();
    });
  };

  test.each([300, 700])(
    "comes back after exactly `retry` (%i ms), with the last id, and gets the response [E1.9]",
    async (retry) => {
      const clock = new RecordingClock();
      const server = await scriptedHttp(
        resumable(
          (reply) => void reply.response.end(`id: e-1\nretry: ${retry}\ndata: \n\n`),
          (reply, id) => {
            reply.stream();
            reply.event(answer(id), "e-2");
            reply.response.end();
          },
        ),
      );
      const client = await open(server.url, { clock });
      const call = client.callTool("t");
      await expect.poll(() => clock.delays).toContain(retry);
      await clock.advance(retry);
      expect((await call).text).toBe("done");
      expect(server.requests.filter(({ headers }) => headers["last-event-id"] === "e-1")).toHaveLength(1);
    },
  );

  test("a connection that breaks after an id is resumed as well, from the newest id [C5]", async () => {
    const server = await scriptedHttp(
      resumable(
        (reply) => {
          reply.response.write("retry: 250\n\n");
          reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }, "a");
          reply.event({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 2 } }, "b");
          setImmediate(() => reply.response.destroy());
        },
        (reply, id) => {
          reply.stream();
          reply.event(answer(id), "c");
        },
      ),
    );
    const logs: unknown[] = [];
    const client = await open(server.url, { onLog: ({ data }) => void logs.push(data) });
    await client.callTool("t");
    expect(logs).toEqual([1, 2]);
    expect(server.requests.at(-1)!.headers["last-event-id"]).toBe("b");
  });

  test("`retry: 0` and a stream that flaps cost few attempts, 250 ms apart or more, then the call fails [C4 E3.4]", async () => {
    const times: number[] = [];
    const flap = (reply: Reply): void => {
      times.push(performance.now());
      reply.stream();
      reply.response.end("id: same\nretry: 0\ndata: \n\n");
    };
    const server = await scriptedHttp(
      resumable((reply) => void reply.response.end("id: same\nretry: 0\ndata: \n\n"), flap, flap, flap, flap, flap, flap),
    );
    const client = await open(server.url);
    const error = await failureOf(client.callTool("t"));
    expect(error).toBeInstanceOf(ConnectionLostError);
    expect(times).toHaveLength(5);
    for (let index = 1; index < times.length; index++) expect(times[index]! - times[index - 1]!).toBeGreaterThan(240);
  });

  test("coming back ends with the call [E3.4]", async () => {
    const server = await scriptedHttp(resumable((reply) => void reply.response.end("id: 1\nretry: 60000\ndata: \n\n")));
    const client = await open(server.url);
    expect(await failureOf(client.callTool("t", {}, { timeout: 100 }))).toMatchObject({ code: -32001 });
    await server.received("notifications/cancelled");
    expect(server.requests.filter(({ headers }) => headers["last-event-id"] !== undefined)).toEqual([]);
  });

  test("a server that does not resume after all fails the call", async () => {
    const server = await scriptedHttp(
      resumable(
        (reply) => void reply.response.end("id: 1\nretry: 250\ndata: \n\n"),
        (reply) => void reply.response.writeHead(405).end(),
      ),
    );
    expect(await failureOf((await open(server.url)).callTool("t"))).toMatchObject({ status: 405 });
  });

  test("stateless streams are never resumed: what is safe is asked again by new ids; a tool call fails [F1.5 F1.7]", async () => {
    const server = await scriptedHttp(
      stateless((request, reply) => {
        const { id, method } = request.message;
        if (method === "resources/list" && server.methods.includes("again")) {
          return reply.result({ resources: [], resultType: "complete", ttlMs: 0, cacheScope: "private" });
        }
        if (method === "resources/list") server.methods.push("again");
        reply.stream();
        reply.response.end(
          'id: 1\nretry: 0\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",' +
            `"data":${JSON.stringify(id)}}}\n\n`,
        );
        return undefined;
      }),
    );
    const client = await open(server.url);
    expect(await client.listResources()).toMatchObject({ resources: [] });
    const lists = server.requests.filter(({ message }) => message["method"] === "resources/list");
    expect(new Set(lists.map(({ message }) => message["id"])).size).toBe(2);
    expect(await failureOf(client.callTool("t"))).toMatchObject({ outcome: "unknown" });
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(1);
    expect(server.methods).not.toContain("GET");
  });
});

describe("giving up [requirement G1 requirement G3 E1.8]", () => {
  test("stateful: the server receives the cancellation", async () => {
    const server = await scriptedHttp(quiet(stateful((_, reply) => reply.stream())));
    const client = await open(server.url);
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await server.received("tools/call");
    const { id } = server.requests.at(-1)!.message;
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await server.received("notifications/cancelled");
    expect(server.requests.at(-1)!.message["params"]).toEqual({ requestId: id, reason: "enough" });
  });

  test("stateless: the exchange ends, and nothing is sent", async () => {
    const replies: Reply[] = [];
    const server = await scriptedHttp(stateless((_, reply) => void replies.push(reply)));
    const client = await open(server.url);
    const timedOut = failureOf(client.callTool("t", {}, { timeout: 50 }));
    await server.received("tools/call");
    expect(await timedOut).toMatchObject({ code: -32001 });
    await replies[0]!.gone;
    expect(server.methods).toEqual(["server/discover", "tools/call"]);
  });
});

describe("silence [C2]", () => {
  test("a stream that was kept alive and falls silent is lost, and resumed", async () => {
    let id: unknown;
    const server = await scriptedHttp(
      stateful((request, reply) => {
        if (request.method === "GET" && request.headers["last-event-id"] === undefined)
          return void reply.response.writeHead(405).end();
        reply.stream();
        if (request.method === "GET") return reply.event(answer(id), "2");
        id = request.message["id"];
        reply.response.write("id: 1\nretry: 250\ndata: \n\n: alive\n\n");
        return undefined;
      }),
    );
    const client = await open({ url: server.url, limits: { streamIdleTimeout: 50 } });
    expect((await client.callTool("t")).text).toBe("done");
  });
});
