import { equal } from "node:assert/strict";
import { BOTH, eventually } from "../../support/bench.mjs";

const uri = "temp://kitchen";

export async function test(bench) {
  for (const revision of BOTH) {
    const seen = [];
    const on = { "notifications/resources/updated": (params) => seen.push(params.uri) };
    const client = await bench.stdio("server.ts", { revision, on });
    if (revision === "2025-11-25") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    equal((await client.readResource({ uri })).contents[0].text, "20");
    await client.callTool({ name: "heat" });
    await eventually(
      () => seen.length,
      (count) => count > 0,
    );
    equal(seen[0], uri, `on ${revision} a client that watches hears nothing`);
    equal((await client.readResource({ uri })).contents[0].text, "21");
  }
}
