import { deepEqual, equal } from "node:assert/strict";
import { eventually, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  let changes = 0;
  const on = { "notifications/tools/list_changed": () => (changes += 1) };
  const client = await bench.stdio("server.ts", { on });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name).sort();
  deepEqual(await names(), ["unlock"]);
  await client.callTool({ name: "unlock" });
  const heard = await eventually(
    () => changes,
    (count) => count > 0,
  );
  equal(heard > 0, true, "the client does not learn that the list has changed");
  deepEqual(await names(), ["open_door", "unlock"]);
  equal(textOf(await client.callTool({ name: "open_door" })), "open");
}
