// How long a stdio server takes to start, with each schema library: `npm run start:figures` (docs/serving/stdio.md).
//   npm run start:figures -- /path/to/node22 /path/to/node24     with other releases of Node too
// Each round starts every program once, with its releases and with and without the compile cache of Node in turns, and asks for the list of tools.
// Prints the medians of the CPU time and the age of the process at its response. CPU time depends little on what else the machine does.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));
const LIBRARIES = ["none", "json", "zod/mini", "valibot", "zod"];
const ROUNDS = 15;
const REQUESTS = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "start", version: "1.0.0" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Starts a program. Returns its CPU time and its age in milliseconds when it has responded with its list. */
async function measured(node, library, cache) {
  const env = { ...process.env, ...(cache && { NODE_COMPILE_CACHE: cache }) };
  const child = spawn(node, [SERVER, library], { stdio: ["pipe", "pipe", "inherit", "pipe"], env });
  child.stdin.on("error", () => {}); // `none` reads nothing
  child.stdin.write(REQUESTS.join(""));
  child.stdio[3].once("data", () => child.stdin.end());
  const [answers, figures] = await Promise.all([textOf(child.stdout), textOf(child.stdio[3])]);
  if (library !== "none" && !answers.includes('"echo"'))
    throw new Error(`${node} ${library}: no list of tools in ${answers.slice(0, 300)}`);
  return JSON.parse(figures);
}

async function textOf(stream) {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const folder = mkdtempSync(join(tmpdir(), "compile-cache-"));
try {
  for (const node of [process.execPath, ...process.argv.slice(2)]) {
    const programs = [undefined, folder].flatMap((cache) => LIBRARIES.map((library) => ({ library, cache, seen: [] })));
    for (let round = 0; round < ROUNDS; round++)
      for (const program of programs) {
        const figures = await measured(node, program.library, program.cache);
        if (round > 0) program.seen.push(figures); // the first fills the caches
      }
    const version = (await textOf(spawn(node, ["--version"]).stdout)).trim();
    for (const { library, cache, seen } of programs) {
      const [cpu, age] = ["cpu", "age"].map((member) => median(seen.map((figures) => figures[member])).toFixed(0));
      console.log(
        `${version}  ${library.padEnd(9)} ${cache ? "compile cache" : "             "}  ${cpu.padStart(4)} ms CPU  ${age.padStart(4)} ms`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
