import { deepEqual, equal } from "node:assert/strict";
import { textOf } from "../../support/bench.mjs";
import { same } from "../../support/same.mjs";

export async function test(bench) {
  equal(bench.read("server.ts").includes("@modelcontextprotocol/sdk"), false, "it still uses the official SDK");
  const [old, now] = await Promise.all([bench.serve("old.ts"), bench.serve("server.ts")]);
  const [one, other] = [await bench.http(now.url), await bench.http(now.url)];
  const count = (client, by) => client.callTool({ name: "count", arguments: { by } });
  await same(await bench.http(old.url), one, {
    "two more": (client) => count(client, 2),
    "three more": (client) => count(client, 3),
  });
  const refused = await count(one, 0.5).catch(() => ({ isError: true }));
  equal(refused.isError, true, "it takes half a number");
  equal(textOf(await count(other, 1)), "1", "two sessions share a counter");
  deepEqual(await (await fetch(new URL("/version", now.url))).json(), { version: "1.0.0" });
}
