// Messages that are not requests: each is a POST that the server accepts or refuses, and only a response is sent again (E1.4,
// E1.5, C17).
import { connect, type ConnectOptions } from "tenon";
import type { Fetch } from "tenon/client";
import { describe, expect, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { forgetful, quiet, scriptedHttp, stateful, type Received, type Reply } from "./scripted-http.ts";
import { scriptedClient } from "./scripted-client.ts";

const result = (id: unknown): unknown => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });

/** A server that asks for the roots in the middle of a call. `refuse` meets each POST of the answer; undefined accepts it. */
function asking(refuse: (attempt: number, reply: Reply) => boolean, options: { sessionId?: string } = {}) {
  let answers = 0;
  let call: { id: unknown; reply: Reply } | undefined;
  const script = quiet(
    stateful(({ message }, reply) => {
      if (message["method"] === "tools/call") {
        call = { id: message["id"], reply };
        reply.stream();
        return reply.event({ jsonrpc: "2.0", id: "ask", method: "roots/list" });
      }
      if (refuse(++answers, reply)) return undefined;
      reply.text("Accepted", 202);
      call!.reply.event(result(call!.id));
      call!.reply.response.end();
      return undefined;
    }, options),
  );
  return { script, answers: (): number => answers };
}

const roots: ConnectOptions = { roots: [{ uri: "file:///a" }], validateOutput: false };

describe("a response that a server refuses for now is sent again [C17]", () => {
  test.each([429, 502, 503, 504])(
    "HTTP %i: after 100 ms, then twice as long each time, up to 2 seconds and 12 times",
    async (status) => {
      const { script, answers } = asking((_attempt, reply) => {
        reply.text("later", status);
        return true;
      });
      const { http, clock, client, errors } = await scriptedClient(script, roots);
      const call = client.callTool("t", {}, { timeout: Infinity }).catch((error: unknown) => error);
      const waits = [100, 200, 400, 800, 1_600, ...Array.from({ length: 7 }, () => 2_000)];
      for (const [index, wait] of waits.entries()) {
        await http.received("answer", index + 1);
        await expect
          .poll(() => clock.delays.filter((delay) => delay === wait).length)
          .toBe(waits.slice(0, index + 1).filter((one) => one === wait).length);
        await clock.advance(wait - 1);
        expect(answers()).toBe(index + 1);
        await clock.advance(1);
      }
      await expect.poll(() => errors).toMatchObject([{ data: { status } }]);
      expect(answers()).toBe(13);
      void call;
    },
  );

  test.each<[string, (reply: Reply) => void]>([
    ["a connection that breaks", (reply) => void reply.response.destroy()],
    ["HTTP 503", (reply) => reply.text("later", 503)],
  ])("%s: the call goes on when the response is accepted, and no timer is left", async (_what, refuse) => {
    const { script, answers } = asking((attempt, reply) => {
      if (attempt === 1) refuse(reply);
      return attempt === 1;
    });
    const { http, clock, client } = await scriptedClient(script, roots);
    const call = client.callTool("t");
    await http.received("answer");
    await expect.poll(() => clock.advance(100).then(answers)).toBe(2);
    expect((await call).text).toBe("done");
    await client.close();
    await expect.poll(() => clock.pending).toBe(0);
  });

  test("a server that does not respond to it has 30 seconds, and not a moment less", async () => {
    const { script, answers } = asking((attempt) => attempt === 1);
    const { http, clock, client } = await scriptedClient(script, roots);
    const call = client.callTool("t", {}, { timeout: Infinity });
    await http.received("answer");
    await clock.advance(29_999);
    expect(clock.delays).not.toContain(100);
    await clock.advance(1);
    await expect.poll(() => clock.advance(100).then(answers)).toBe(2);
    expect((await call).text).toBe("done");
  });

  test.each([400, 401, 500])("HTTP %i is final: it is reported, and the response is not sent again", async (status) => {
    const { script, answers } = asking((_attempt, reply) => {
      reply.text("no", status);
      return true;
    });
    const { clock, client, errors } = await scriptedClient(script, roots);
    const call = client.callTool("t").catch((error: unknown) => error);
    await expect.poll(() => errors).toMatchObject([{ data: { status } }]);
    await clock.advance(5_000);
    expect(answers()).toBe(1);
    await client.close();
    expect(await call).toMatchObject({ code: -32000 });
  });

  test("not once the client is closed: nothing more is sent, nothing is reported, and no timer is left", async () => {
    const { script, answers } = asking((_attempt, reply) => {
      reply.text("later", 503);
      return true;
    });
    const { clock, client, errors } = await scriptedClient(script, roots);
    const call = client.callTool("t").catch((error: unknown) => error);
    await expect.poll(() => clock.delays).toContain(100);
    await client.close();
    await clock.advance(10_000);
    expect(answers()).toBe(1);
    expect(errors).toEqual([]);
    expect(await call).toMatchObject({ code: -32000 });
    await expect.poll(() => clock.pending).toBe(0);
  });

  test("not in a session that the server has lost: its question is gone with it [C10]", async () => {
    let asked: Reply | undefined;
    const serve = ({ message }: Received, reply: Reply): void => {
      if (message["method"] !== "tools/call") return reply.result({ resources: [] });
      asked = reply;
      reply.stream();
      forget();
      return reply.event({ jsonrpc: "2.0", id: "ask", method: "roots/list" });
    };
    const { script, forget } = forgetful(serve);
    const http = await scriptedHttp(script);
    const client = await closing(connect(http.url, { ...roots, onError: () => undefined }));
    const call = client.callTool("t").catch((error: unknown) => error);
    await http.received("initialize", 2);
    await client.listResources();
    asked!.response.destroy();
    expect(await call).toMatchObject({ code: -32000, outcome: "unknown" });
    expect(http.methods.filter((method) => method === "answer")).toHaveLength(1);
  });
});

describe("a notification is sent once", () => {
  test.each([429, 503])("HTTP %i is reported", async (status) => {
    const rest = quiet(stateful(() => undefined));
    const { http, clock, client, errors } = await scriptedClient((request, reply) =>
      request.message["method"] === "notifications/cancelled" ? reply.text("later", status) : rest(request, reply),
    );
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await http.received("tools/call");
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => errors).toMatchObject([{ data: { status } }]);
    await clock.advance(10_000);
    expect(http.methods.filter((method) => method === "notifications/cancelled")).toHaveLength(1);
  });

  test("a server that does not accept it within 30 seconds is reported by its URL", async () => {
    const rest = quiet(stateful(() => undefined));
    const { http, clock, client, errors } = await scriptedClient((request, reply) =>
      request.message["method"] === "notifications/cancelled" ? undefined : rest(request, reply),
    );
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await http.received("tools/call");
    abort.abort();
    await call.catch(() => undefined);
    await http.received("notifications/cancelled");
    await clock.advance(29_999);
    expect(errors).toEqual([]);
    await clock.advance(1);
    await expect.poll(() => errors).toMatchObject([{ code: -32000, outcome: "unknown", message: `${http.url} did not answer` }]);
  });
});

test("the body of what accepts a message is read, so that its connection is used again", async () => {
  let bodies = 0;
  let read = 0;
  const { script } = asking(() => false);
  const http = await scriptedHttp(script);
  /** Tells whether each body was read to its end. */
  const own: Fetch = async (url, init) => {
    const response = await fetch(url, init as RequestInit);
    if (!String(init.body).includes('"ask"') || response.body === null) return response;
    bodies++;
    const counted = response.body.pipeThrough(new TransformStream({ flush: () => void read++ }));
    return new Response(counted, response);
  };
  const client = await closing(connect({ url: http.url, fetch: own }, roots));
  for (let calls = 0; calls < 3; calls++) expect((await client.callTool("t")).text).toBe("done");
  await expect.poll(() => [bodies, read]).toEqual([3, 3]);
  expect(http.methods.filter((method) => method === "GET")).toHaveLength(1);
});
