import { deepEqual, equal } from "node:assert/strict";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name).sort();
    deepEqual(await names(), ["git__init", "git__log", "mail__send"]);
    const erased = await client.callTool({ name: "mail__erase" }).catch(() => ({ isError: true }));
    equal(erased.isError, true, "mail__erase can be called");
    equal(textOf(await client.callTool({ name: "mail__send" })), "sent");
    await client.callTool({ name: "git__init" });
    deepEqual(await names(), ["git__init", "git__log", "git__push", "mail__send"]);
  }
}
