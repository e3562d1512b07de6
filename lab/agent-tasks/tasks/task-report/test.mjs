import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "tenon/client";
import { tasks } from "tenon/ext/tasks";

// The official clients have no extension of tasks for 2026-07-28.
export async function test(bench) {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const file = bench.path(`parts-${revision}`);
    const env = { ...process.env, PARTS: file };
    const started = { command: bench.path("node_modules/.bin/tsx"), args: ["server.ts"], cwd: bench.folder, env };
    const states = [];
    const client = await connect(started, {
      revision,
      extensions: [tasks()],
      onElicit: () => ({ action: "accept", content: { format: "pdf" } }),
    });
    bench.later(() => client.close());
    const { text } = await client.callTool("report", { year: 2026 }, { onTask: ({ status }) => states.push(status) });
    equal(text, "report 2026 as pdf");
    equal(states.at(-1), "completed", "it does not run as a task");
    deepEqual(readFileSync(file, "utf8").trim().split("\n").length, 3, "not each part once");
  }
}
