import { deepEqual, equal, ok } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { BOTH, textOf } from "../../support/bench.mjs";

const lines = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).length : 0);

export async function test(bench) {
  for (const revision of BOTH) {
    const file = bench.path(`copied-${revision}`);
    const client = await bench.stdio("server.ts", { revision, env: { COPIED: file } });
    const seen = [];
    const onprogress = ({ progress, total }) => seen.push(`${progress}/${total}`);
    const result = await client.callTool({ name: "copy", arguments: { parts: 3 } }, { onprogress });
    equal(textOf(result), "copied 3");
    deepEqual(seen, ["1/3", "2/3", "3/3"]);
    equal(lines(file), 3);

    const stop = new AbortController();
    const options = { signal: stop.signal, onprogress: () => stop.abort() };
    await client.callTool({ name: "copy", arguments: { parts: 40 } }, options).catch(() => {});
    await pause(300); // the part that was being copied
    const then = lines(file);
    await pause(400); // eight parts, if it went on
    equal(lines(file), then, "it goes on after the client has cancelled");
    ok(then < 43);
  }
}
