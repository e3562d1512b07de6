import { deepEqual, equal } from "node:assert/strict";
import { BOTH, textOf, toolNames } from "../../support/bench.mjs";

export async function test(bench) {
  const { url, program } = await bench.serve("gateway.ts");
  for (const revision of BOTH) {
    const client = await bench.http(url, { revision });
    deepEqual(await toolNames(client, 2), ["files__read", "mail__inbox"]);
    equal(textOf(await client.callTool({ name: "mail__inbox" })), "from mail");
    const denied = await client.callTool({ name: "files__erase" }).catch(() => ({ isError: true }));
    equal(denied.isError, true, "what is not listed can be called");
    await client.close();
  }
  program.signal("SIGTERM");
  equal(await program.ended(), 0);
}
