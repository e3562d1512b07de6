import { deepEqual, equal } from "node:assert/strict";
import { BOTH } from "../../support/bench.mjs";

export async function test(bench) {
  const { url } = await bench.serve();
  for (const revision of BOTH) {
    const client = await bench.http(url, { revision });
    deepEqual((await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).structuredContent, { sum: 3 });
  }
  const headers = { "content-type": "application/json" };
  const response = await fetch(new URL("/orders", url), { method: "POST", headers, body: '{"item":"tea"}' });
  equal(response.status, 201);
  deepEqual(await response.json(), { ordered: "tea" });
}
