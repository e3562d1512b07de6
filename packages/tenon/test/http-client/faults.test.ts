// Servers and networks that misbehave, and what a call fails with then (C1–C3, C6–C8, C12–C14, R6, R16, R21).
import { gzipSync } from "node:zlib";
import {
  connect,
  HttpStatusError,
  UnusableResponseError,
  type ConnectOptions,
  type HttpServerParameters,
  type JsonObject,
  type ListToolsResult,
} from "tenon";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { quiet, scriptedHttp, stateful, stateless, type Received, type Reply } from "./scripted-http.ts";
import { deferred } from "../support/gate.ts";

const open = (server: string | HttpServerParameters, options?: ConnectOptions) =>
  closing(connect(server, { validateOutput: false, ...options }));
const TEXT: JsonObject = { content: [], resultType: "complete" };
const list = (name: string): JsonObject => ({ [name]: [], resultType: "complete", ttlMs: 0, cacheScope: "private" });

/** A client of a stateless server that meets every call with `answer`. */
const meeting = async (answer: (reply: Reply, request: Received) => void, server: Partial<HttpServerParameters> = {}) => {
  const http = await scriptedHttp(stateless((request, reply) => answer(reply, request)));
  return { http, client: await open({ url: http.url, ...server }) };
};

describe("a success without a result fails the call at once [fault C6]", () => {
  test.each<[string, (reply: Reply, request: Received) => void]>([
    ["202", (reply) => void reply.response.writeHead(202).end()],
    ["204", (reply) => void reply.response.writeHead(204).end()],
    ["nothing", (reply) => void reply.response.writeHead(200, { "content-type": "application/json" }).end()],
    ["a page", (reply) => reply.text("<html>\u0007")],
    ["another call's answer", (reply) => reply.json({ jsonrpc: "2.0", id: 4711, result: {} })],
    ["a request", (reply, { message }) => reply.json({ jsonrpc: "2.0", id: message["id"], method: "ping" })],
    [
      "JSON that is cut off",
      (reply) => void reply.response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0","id'),
    ],
    ["no JSON-RPC", (reply) => reply.json({ hello: "world" })],
    ["an empty array", (reply) => reply.json([])],
  ])("%s", async (_, answer) => {
    const { client, http } = await meeting(answer);
    const error = await failureOf(client.callTool("t"));
    expect(error).toBeInstanceOf(UnusableResponseError);
    expect(error.message.length).toBeLessThan(500);
    // eslint-disable-next-line no-control-regex
    expect(error.message).not.toMatch(/[\u0000-\u001F]/);
    expect(http.methods).toHaveLength(2);
  });

  test.each<[what: string, answer: (reply: Reply, body: string) => void]>([
    ["a success", (reply, body) => void reply.response.writeHead(200, { "content-type": "application/json" }).end(body)],
    ["a failure", (reply, body) => reply.text(body, 500)],
  ])("the sample of the body of %s is escaped, and at most 200 characters long [fault C6]", async (_what, answer) => {
    // A page that clears a terminal, in 7 and in 8 bits, with line breaks and text that is written backwards.
    const hostile = "{\u001B[2J\u009B31m\u007F\r\n\u2028\u202E";
    let body = `${hostile}"Zürich"`;
    const { client } = await meeting((reply) => answer(reply, body));
    const sampleOf = async (): Promise<string> => {
      const { message, data } = await failureOf(client.callTool("t"));
      return (data as { body?: string } | undefined)?.body ?? message.slice(message.indexOf("else: ") + "else: ".length);
    };
    expect(await sampleOf()).toBe(String.raw`{\u001b[2J\u009b31m\u007f\r\n\u2028\u202e\"Zürich\"`);
    body = `{${"\u0000".repeat(500)}`;
    expect(await sampleOf()).toHaveLength(200);
  });

  test("a result that is nested too deep fails with the limit, not as something else", async () => {
    const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
    const { client } = await meeting((reply, { message }) => {
      const body =
        `{"jsonrpc":"2.0","id":${JSON.stringify(message["id"])},"result":{"content":[],"resultType":"complete",` +
        `"x":${deep}}}`;
      reply.response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ name: "LimitExceededError", limit: "depth" });
  });

  test("a body that breaks off", async () => {
    const { client } = await meeting((reply) => {
      reply.response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      reply.response.write('{"jsonrpc"', () => reply.response.destroy());
    });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
  });

  test("an id as text is the id all the same", async () => {
    const { client } = await meeting((reply, { message }) =>
      reply.json({ jsonrpc: "2.0", id: String(message["id"]), result: TEXT }),
    );
    expect(await client.callTool("t")).toMatchObject({ content: [] });
  });
});

describe("statuses [C7]", () => {
  test.each([400, 401, 403, 404, 405, 409, 413, 415, 421, 429, 500, 502, 503])(
    "HTTP %i with a page, and with a JSON-RPC error of its own",
    async (status) => {
      let json = false;
      const { client } = await meeting((reply) =>
        json ? reply.error(-32602, status, { data: { why: 1 } }) : reply.text("<b>no\n</b>", status),
      );
      const error = await failureOf(client.callTool("t"));
      expect(error).toBeInstanceOf(HttpStatusError);
      expect(error.data).toEqual({ status, body: "<b>no\\n</b>" });
      json = true;
      expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32602, message: "no", data: { why: 1 } });
    },
  );

  test("a JSON-RPC error for another id is not this call's", async () => {
    const { client } = await meeting((reply) =>
      reply.json({ jsonrpc: "2.0", id: 4711, error: { code: -32602, message: "not yours" } }, 400),
    );
    expect(await failureOf(client.callTool("t"))).toMatchObject({ status: 400 });
  });

  test("of an error page 8 KiB are read, and 200 characters kept [C3]", async () => {
    const { client } = await meeting((reply) => {
      reply.response.writeHead(500);
      const more = (): void => {
        if (!reply.response.destroyed) reply.response.write("x".repeat(4096), () => setImmediate(more));
      };
      more();
    });
    const error = await failureOf(client.callTool("t"));
    expect((error.data as { body: string }).body).toHaveLength(200);
  });

  test.each([
    [429, 3],
    [503, 1],
  ])(
    "HTTP %i with Retry-After: what is safe is sent again after that time, a tool call only if it was not run",
    async (status, calls) => {
      let refusals = 0;
      const { client, http } = await meeting((reply, { message }) => {
        if (message["method"] === "tools/call") return void reply.response.writeHead(status, { "retry-after": "0" }).end();
        return ++refusals <= 2
          ? void reply.response.writeHead(status, { "retry-after": "0" }).end()
          : reply.result(list("resources"));
      });
      expect(await client.listResources()).toMatchObject({ resources: [] });
      expect(refusals).toBe(3);
      expect(await failureOf(client.callTool("t"))).toMatchObject({ status });
      expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(calls);
      refusals = -10;
      expect(await failureOf(client.listResources())).toMatchObject({ status });
    },
  );

  test.each(["61", "garbage", undefined])("Retry-After %s is not waited for", async (after) => {
    const { client, http } = await meeting(
      (reply) => void reply.response.writeHead(503, after === undefined ? {} : { "retry-after": after }).end(),
    );
    const error = await failureOf(client.listResources());
    expect(error).toMatchObject({ status: 503 });
    expect(error.message.includes("asks to wait 61 s; the client waits for 60 s at most")).toBe(after === "61");
    expect(http.methods).toHaveLength(2);
  });
});

describe("redirects [C8 R16]", () => {
  test.each([307, 308])("%i within the origin is followed, with method, body and headers", async (status) => {
    const { client, http } = await meeting(
      (reply, request) =>
        request.path === "/mcp" ? void reply.response.writeHead(status, { location: "/other?x=1" }).end() : reply.result(TEXT),
      { headers: { authorization: "Bearer x" } },
    );
    await client.callTool("t");
    expect(http.requests.at(-1)).toMatchObject({
      path: "/other?x=1",
      method: "POST",
      headers: { authorization: "Bearer x" },
      message: { method: "tools/call" },
    });
  });

  test.each([301, 302, 303])("%i would change the request, and is refused", async (status) => {
    const { client, http } = await meeting((reply) => void reply.response.writeHead(status, { location: "/other" }).end());
    expect(await failureOf(client.callTool("t"))).toMatchObject({ status });
    expect(http.requests.every(({ path }) => path === "/mcp")).toBe(true);
  });

  test("to another origin nothing is sent at all", async () => {
    const other = await scriptedHttp((_, reply) => reply.result(TEXT));
    const { client } = await meeting((reply) => void reply.response.writeHead(307, { location: other.url }).end());
    expect(await failureOf(client.callTool("t"))).toMatchObject({
      status: 307,
      message: expect.stringContaining("another origin"),
    });
    expect(other.requests).toEqual([]);
  });

  test("a loop ends", async () => {
    const { client, http } = await meeting((reply) => void reply.response.writeHead(307, { location: "/mcp" }).end());
    expect(await failureOf(client.callTool("t"))).toMatchObject({ status: 307 });
    expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(4);
  });
});

describe("responses that are too large are cut at the limit [C3 rule R6]", () => {
  const max = 50_000;
  test.each<[string, (reply: Reply) => void]>([
    [
      "with a length",
      (reply) =>
        void reply.response.writeHead(200, { "content-type": "application/json", "content-length": "300000000" }).write("{"),
    ],
    [
      "without one",
      (reply) => {
        reply.response.writeHead(200, { "content-type": "application/json" });
        const more = (): void => {
          if (!reply.response.destroyed) reply.response.write(" ".repeat(10_000), () => setImmediate(more));
        };
        more();
      },
    ],
    [
      "packed small",
      (reply) =>
        void reply.response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(" ".repeat(5_000_000))),
    ],
  ])("%s", async (_, answer) => {
    const { client } = await meeting(answer, { limits: { maxResponseBytes: max } });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ limit: "limits.maxResponseBytes", max });
  });
});

describe("what is cut costs no memory to speak of [C3 rule R6]", () => {
  test.each(["JSON", "one event"])("300 MB of %s", async (kind) => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let peak = 0;
    const { client } = await meeting((reply) => {
      reply.response.writeHead(200, { "content-type": kind === "JSON" ? "application/json" : "text/event-stream" });
      reply.response.write(kind === "JSON" ? '"' : "data: ");
      let sent = 0;
      const more = (): void => {
        peak = Math.max(peak, process.memoryUsage().rss);
        if (!reply.response.destroyed && sent++ < 300) reply.response.write(chunk, () => setImmediate(more));
      };
      more();
    });
    const before = process.memoryUsage().rss;
    expect(await failureOf(client.callTool("t"))).toMatchObject({ limit: "limits.maxResponseBytes", max: 16 * 1024 * 1024 });
    // 16 MiB are taken; server and client share this process, and garbage is not collected at once.
    expect(peak - before).toBeLessThan(160 * 1024 * 1024);
  });
});

describe("many calls at once [C12]", () => {
  test("no more than the limit are on their way; the others follow in order; time in line counts", async () => {
    const waiting: Reply[] = [];
    const { client, http } = await meeting((reply) => void waiting.push(reply), { limits: { maxConcurrentRequests: 6 } });
    const calls = Array.from({ length: 50 }, (_, index) => client.callTool(`t${index}`));
    const late = failureOf(client.callTool("late", {}, { timeout: 50 }));
    await http.received("tools/call", 6);
    expect(await late).toMatchObject({ code: -32001 });
    expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(6);
    for (let served = 0; served < 50; served++) {
      while (waiting.length === 0) await http.received("tools/call", Math.min(served + 1, 50));
      waiting.shift()!.result(TEXT);
      await http.received("tools/call", Math.min(served + 7, 50));
    }
    await Promise.all(calls);
    const names = http.requests
      .filter(({ message }) => message["method"] === "tools/call")
      .map(({ headers }) => headers["mcp-name"]);
    expect(names).not.toContain("late");
    expect(names.length).toBe(50);
    expect(names.slice(6)).toEqual(Array.from({ length: 44 }, (_, index) => `t${index + 6}`));
  });

  test("what is said to the server while all turns are taken does not wait in line", async () => {
    const http = await scriptedHttp(quiet(stateful(() => undefined)));
    const client = await open({ url: http.url, limits: { maxConcurrentRequests: 1 } });
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await http.received("tools/call");
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await http.received("notifications/cancelled");
  });
});

describe("giving up [C13]", () => {
  test.each(["waiting in line", "waiting for headers", "reading"])(
    "while %s settles the call, which nothing else would, and leaves nothing behind",
    async (when) => {
      const replies: Reply[] = [];
      const { client, http } = await meeting(
        (reply) => {
          replies.push(reply);
          if (when === "reading") {
            reply.response.writeHead(200, { "content-type": "application/json" });
            reply.response.write("{");
          }
        },
        { limits: { maxConcurrentRequests: 1 } },
      );
      const abort = new AbortController();
      const first = client.callTool("first", {}, { signal: abort.signal });
      await http.received("tools/call");
      const call = when === "waiting in line" ? client.callTool("second", {}, { signal: abort.signal }) : first;
      abort.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await expect(first).rejects.toThrow("enough");
      await replies[0]!.gone;
      expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(1);
      // The turn is free again.
      const next = client.callTool("third");
      await http.received("tools/call", 2);
      replies[1]!.response.destroy();
      await failureOf(next);
    },
  );
});

describe("a connection that breaks before a byte of the response [C14]", () => {
  test.each([
    undefined,
    {},
    { readOnlyHint: false },
    { destructiveHint: false, openWorldHint: false },
    { idempotentHint: "true" },
  ])(
    "a hint that is not given is the cautious one: with %j a tool is not called again, and nothing is made up [K1.5]",
    async (annotations) => {
      const tool = { name: "t", inputSchema: { type: "object" }, ...(annotations && { annotations }) };
      const { client, http } = await meeting((reply, { message }) => {
        if (message["method"] === "tools/list") reply.result({ ...list("tools"), tools: [tool] });
        else reply.response.destroy();
      });
      const listed = await client.request("tools/list").catch((error: unknown) => error);
      if (annotations?.idempotentHint === undefined) expect((listed as ListToolsResult).tools).toEqual([tool]);
      expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
      expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(1);
    },
  );

  test("what is safe is sent once more, a tool call fails and may have been executed", async () => {
    const { client, http } = await meeting((reply, { message }) => {
      const again = http.methods.filter((method) => method === "resources/list").length > 1;
      if (message["method"] === "resources/list" && again) reply.result(list("resources"));
      else reply.response.destroy();
    });
    expect(await client.listResources()).toMatchObject({ resources: [] });
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32000, outcome: "unknown" });
    expect(http.methods.filter((method) => method === "tools/call")).toHaveLength(1);
    expect(http.methods.filter((method) => method === "resources/list")).toHaveLength(2);
  });
});

test("one server's failure affects no other server", async () => {
  const held = deferred<Reply>();
  const { client } = await meeting((reply, { headers }) => {
    if (headers["mcp-name"] === "slow") held.resolve(reply);
    else reply.response.destroy();
  });
  const slow = client.callTool("slow");
  const reply = await held.promise;
  await failureOf(client.callTool("broken"));
  reply.result(TEXT);
  expect(await slow).toMatchObject({ content: [] });
});

test("errors name no query and no header [R21]", async () => {
  const http = await scriptedHttp(stateless((_, reply) => reply.text("no", 500)));
  const client = await open({ url: `${http.url}?token=secret`, headers: { authorization: "Bearer secret" } });
  const error = await failureOf(client.callTool("t"));
  expect(error.message + JSON.stringify(error.data)).not.toContain("secret");
});

describe("giving up to connect [CS-07]", () => {
  test.each(["server/discover", "initialize", "notifications/initialized", "GET"])(
    "while the server thinks about %s: the reason, and no timer left",
    async (method) => {
      const clock = new VirtualClock();
      const rest = stateful(undefined, { sessionId: "s" });
      const http = await scriptedHttp((request, reply) => {
        const reached = request.message["method"] === method || request.method === method;
        if (request.method === "DELETE") return void reply.response.writeHead(204).end();
        return reached ? undefined : rest(request, reply);
      });
      const abort = new AbortController();
      const connecting = connect(http.url, {
        clock,
        signal: abort.signal,
        ...(method !== "server/discover" && { revision: "2025-11-25" }),
      });
      await http.received(method);
      abort.abort(new Error("enough"));
      await expect(connecting).rejects.toThrow("enough");
      await turn();
      expect(clock.pending).toBe(0);
    },
  );

  test("a client that is closed leaves no timer", async () => {
    const clock = new VirtualClock();
    const http = await scriptedHttp(
      stateful((request, reply) => (request.method === "GET" ? reply.stream() : undefined), { sessionId: "s" }),
    );
    const client = await connect(http.url, { clock, validateOutput: false });
    const call = failureOf(client.callTool("t"));
    await http.received("tools/call");
    const closing = client.close();
    await http.received("DELETE");
    await clock.advance(2_000);
    await closing;
    await call;
    await turn();
    expect(clock.pending).toBe(0);
  });
});
