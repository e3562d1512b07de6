import { deepEqual, equal } from "node:assert/strict";
import { same } from "../../support/same.mjs";

export async function test(bench) {
  equal(bench.read("server.ts").includes("@modelcontextprotocol/sdk"), false, "it still uses the official SDK");
  const [old, now] = [await bench.stdio("old.ts"), await bench.stdio("server.ts")];
  await same(old, now, {
    "what there is": (client) => client.callTool({ name: "find", arguments: { text: "Em" } }),
    "what there is not": (client) => client.callTool({ name: "find", arguments: { text: "Zz" } }),
    "a book is lent": (client) => client.callTool({ name: "lend", arguments: { id: "b2" } }),
    "no book is lent": (client) => client.callTool({ name: "lend", arguments: { id: "b9" } }),
    "a book": (client) => client.readResource({ uri: "book://b1" }),
    "a prompt": (client) => client.getPrompt({ name: "praise", arguments: { title: "Emma" } }),
  });
  const seen = [];
  await now.callTool({ name: "find", arguments: { text: "Em" } }, { onprogress: ({ progress }) => seen.push(progress) });
  deepEqual(seen, [1]);
  const newest = await bench.stdio("server.ts", { revision: "2026-07-28" });
  deepEqual((await newest.callTool({ name: "find", arguments: { text: "Em" } })).structuredContent, { ids: ["b1"] });
}
