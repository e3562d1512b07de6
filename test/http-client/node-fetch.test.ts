// The same servers, faults and streams once more, reached over `nodeFetch`; then what only it has.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { connect } from "tenon";
import { nodeFetch } from "tenon/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closing } from "../support/matrix.ts";
import { scriptedHttp, stateless } from "./scripted-http.ts";

const { fetch } = globalThis;
beforeAll(() => {
  globalThis.fetch = nodeFetch as typeof fetch; // as far as the client uses it
});
afterAll(() => {
  globalThis.fetch = fetch;
});

await import("./faults.test.ts");
await import("./official.test.ts");
await import("./sessions.test.ts");
await import("./streams.test.ts");

const pack = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

test.each(Object.entries(pack))("a body that comes packed with %s is unpacked", async (encoding, packed) => {
  const server = await scriptedHttp(
    stateless(({ message }, reply) => {
      const result = { resources: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
      reply.response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
      reply.response.end(packed(JSON.stringify({ jsonrpc: "2.0", id: message["id"], result })));
    }),
  );
  const client = await closing(connect({ url: server.url, fetch: nodeFetch }));
  expect(await client.listResources()).toMatchObject({ resources: [] });
});

// A connection is used again one turn of the event loop after its answer, in case the server closes it all the same.
test("one call after the other takes turns on two connections", async () => {
  const server = await scriptedHttp(stateless((_, reply) => reply.result({ content: [], resultType: "complete" })));
  const client = await closing(connect({ url: server.url, fetch: nodeFetch }, { validateOutput: false }));
  for (let call = 0; call < 10; call++) await client.callTool("t");
  expect(server.sockets.size).toBeLessThanOrEqual(2);
});
