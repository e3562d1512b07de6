import { equal, match } from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BOTH } from "../../support/bench.mjs";

export async function test(bench) {
  const room = bench.path("room");
  mkdirSync(room);
  const outside = bench.path("outside.txt");
  for (const revision of BOTH) {
    const file = join(room, "a.txt");
    const erase = async (elicit, name = "a.txt") => {
      for (const each of [file, outside]) writeFileSync(each, "text");
      const client = await bench.stdio("server.ts", { revision, elicit, env: { ROOM: room } });
      await client.callTool({ name: "erase", arguments: { file: name } }).catch(() => {});
      return existsSync(name === "a.txt" ? file : outside);
    };
    const yes = ({ message, requestedSchema }) => {
      match(message, /\.txt/, "the question does not name the file");
      const names = Object.keys(requestedSchema?.properties ?? {});
      return { action: "accept", content: Object.fromEntries(names.map((name) => [name, true])) };
    };
    equal(await erase(yes), false, `${revision}: it is not deleted after a yes`);
    equal(await erase(() => ({ action: "decline" })), true, `${revision}: it is deleted after a no`);
    equal(await erase(undefined), true, `${revision}: it is deleted, and the user was not asked`);
    equal(await erase(yes, "../outside.txt"), true, `${revision}: a file outside is deleted`);
  }
}
