import { deepEqual, equal, rejects } from "node:assert/strict";
import { BOTH } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    await client.callTool({ name: "add_note", arguments: { name: "today", text: "Buy milk" } });
    await client.callTool({ name: "add_note", arguments: { name: "later", text: "Rest" } });
    const { resources } = await client.listResources();
    deepEqual(resources.map(({ uri }) => uri).sort(), ["note://later", "note://today"]);
    const [content] = (await client.readResource({ uri: "note://today" })).contents;
    equal(content.text, "Buy milk");
    await rejects(() => client.readResource({ uri: "note://nothing" }), "a note that does not exist can be read");
  }
}
