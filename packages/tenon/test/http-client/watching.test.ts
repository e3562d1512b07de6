// A client that only watches, on stateful revisions over HTTP: no request of its own finds out that something was lost.
import { connect, type ConnectOptions } from "tenon";
import { expect, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { forgetful, scriptedHttp, type Received, type Reply } from "./scripted-http.ts";

const open = (url: string, options?: ConnectOptions) => closing(connect(url, { validateOutput: false, ...options }));

const serve = (_request: Received, reply: Reply): void => reply.result({ resources: [], tools: [] });

test("a server without new sessions is soon asked twice a minute; a client that only watches goes on then [C17]", async () => {
  const clock = new VirtualClock();
  let isDown = false;
  let standing: Reply | undefined;
  const { script, forget } = forgetful(serve, { resources: { subscribe: true } });
  const server = await scriptedHttp((request, reply) => {
    if (isDown && request.message["method"] === "initialize") return void reply.response.destroy();
    if (request.method !== "GET" || isDown) return script(request, reply);
    standing = reply;
    reply.stream();
  });
  const client = await open(server.url, { clock, onError: () => undefined });
  const changes = await client.listen({ resources: ["file:///a"] });
  await server.received("GET");
  forget();
  isDown = true;
  standing!.response.end();
  const handshakes = (): number => server.methods.filter((method) => method === "initialize").length;
  await expect.poll(() => clock.advance(30_000).then(handshakes)).toBe(7); // the first, the second, and five more
  const from = clock.now();
  await expect.poll(() => clock.advance(15_000).then(handshakes)).toBe(10);
  expect(clock.now() - from).toBeGreaterThanOrEqual(2 * 30_000); // two whole pauses, and what was left of the one before
  isDown = false;
  let seen: unknown;
  void changes.next().then(({ value }) => (seen = value));
  await expect.poll(() => clock.advance(15_000).then(() => seen)).toEqual({ kind: "resource", uri: "file:///a" });
});

test.each([
  ["the subscription of a new session", "resources/subscribe"],
  ["the stream of a new session", "GET"],
])(
  "%s that is lost is made again for a client that only watches, without a response that shows the way",
  async (_what, method) => {
    const clock = new VirtualClock();
    let lost = 0;
    let isForgotten = false;
    let standing: Reply | undefined;
    const { script, forget } = forgetful(serve, { resources: { subscribe: true } });
    const server = await scriptedHttp((request, reply) => {
      const isNew = request.headers["mcp-session-id"] === "s-2";
      if (isNew && lost < 7 && (request.method === method || request.message["method"] === method)) {
        lost++;
        return void reply.response.destroy();
      }
      if (request.method !== "GET" || (isForgotten && !isNew)) return script(request, reply);
      standing ??= reply;
      reply.stream();
    });
    const client = await open(server.url, { clock, onError: () => undefined });
    await client.listen({ resources: ["file:///a"] });
    await server.received("GET");
    isForgotten = true;
    forget();
    standing!.response.end();
    const inNewSession = (): unknown[] =>
      server.requests
        .filter(({ headers }) => headers["mcp-session-id"] === "s-2")
        .map((request) => (request.method === "GET" ? "GET" : request.message["method"]));
    await expect.poll(() => clock.advance(30_000).then(() => inNewSession().filter((one) => one === method).length)).toBe(8);
  },
);
