// The cost of calls on the official SDK and on the layer: the same unchanged servers, both at once, in turns. It is measured in CPU time of the
// server, so another program on the machine does not change it much. Linux; needs a build and servers of `npm run sdk-v1:servers`.
//   npm run sdk-v1:speed [-- --rounds 7] [--only echo]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { folderOf } from "../field/install.mjs";
import { repository } from "../../scripts/places.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";
import { putIn, takeOut } from "./placed.mjs";

endWithReader();

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" }, only: { type: "string", default: "" } } });
const EVERYTHING = "@modelcontextprotocol/server-everything";
const echo = { method: "tools/call", params: { name: "echo", arguments: { message: "hi" } } };
const thought = { thought: "One", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
const list = { method: "tools/list", params: {} };

/** Each row: what is measured, of which server, how many calls a round, and at least how many times as fast it must be. */
const ROWS = [
  ["stdio, echo", EVERYTHING, echo, 1_500, 1],
  ["stdio, tools/list of zod schemas", EVERYTHING, list, 300, 3],
  [
    "stdio, sequentialthinking",
    "@modelcontextprotocol/server-sequential-thinking",
    { method: "tools/call", params: { name: "sequentialthinking", arguments: thought } },
    1_500,
    1,
  ],
  [
    "stdio, search_nodes",
    "@modelcontextprotocol/server-memory",
    { method: "tools/call", params: { name: "search_nodes", arguments: { query: "a" } } },
    800,
    1,
  ],
  ["stdio, tools/list of a low-level Server", "@hubspot/mcp-server", list, 400, 1],
  [
    "stdio, a call of a low-level Server",
    "@hubspot/mcp-server",
    { method: "tools/call", params: { name: "none", arguments: {} } },
    1_500,
    1,
  ],
  ["HTTP with sessions, echo", EVERYTHING, echo, 1_500, 2],
].filter(([name]) => name.includes(values.only));

/** Rounds before the first that counts: until then V8 compiles, most of all for HTTP. */
const WARM_UP = 4;

/** A copy of an installed server, with the official SDK or the layer in it. */
function treeOf(name, isMoved) {
  const folder = join(repository, "out", "sdk-v1-speed", isMoved ? "moved" : "official", name.replaceAll("/", "-"));
  if (!existsSync(folder)) {
    mkdirSync(join(folder, ".."), { recursive: true });
    takeOut(folderOf(name));
    cpSync(folderOf(name), folder, { recursive: true, verbatimSymlinks: true });
  }
  if (isMoved) putIn(folder);
  return folder;
}

const ENV = { PATH: process.env["PATH"], HOME: "/tmp", PRIVATE_APP_ACCESS_TOKEN: "none" };

/** CPU milliseconds of a process so far, of all its threads. */
function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "speed", version: "1" } },
};

function programIn(folder, name) {
  const own = join(folder, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  return join(own, typeof bin === "string" ? bin : Object.values(bin)[0]);
}

/** Milliseconds of wall time from the start of a program to its first response, and the open program. */
async function overStdio(folder, name) {
  const began = performance.now();
  const child = spawn(process.execPath, [programIn(folder, name)], { env: ENV, stdio: ["pipe", "pipe", "ignore"], cwd: folder });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { id } = JSON.parse(line);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (message) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      send({ id: last, ...message });
    });
  await call(initialize);
  const startCpu = cpuOf(child.pid);
  const start = performance.now() - began;
  send({ method: "notifications/initialized" });
  return { child, call, start, startCpu };
}

async function overHttp(folder, name, port) {
  const env = { ...ENV, PORT: String(port) };
  const child = spawn(process.execPath, [programIn(folder, name), "streamableHttp"], { env, stdio: "ignore", cwd: folder });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session;
  let last = 0;
  const post = (message) =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session && { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
      };
      const sent = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve({ response, text }));
      });
      sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
    });
  const opened = async () => (await post({ id: ++last, ...initialize })).response.headers["mcp-session-id"];
  for (let tries = 0; session === undefined && tries < 200; tries++) session = await opened().catch(() => pause(100));
  await post({ method: "notifications/initialized" });
  const call = async (message) => {
    const { text } = await post({ id: ++last, ...message });
    if (!text.includes('"result"')) throw new Error(text.slice(0, 300));
  };
  return { child, call };
}

/** CPU microseconds of one call. */
async function costOf({ child, call }, message, count, atOnce) {
  const before = cpuOf(child.pid);
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await call(message);
    }),
  );
  return ((cpuOf(child.pid) - before) * 1_000) / count;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

async function measure([title, name, message, count, least], port) {
  const isHttp = title.startsWith("HTTP");
  const open = (isMoved, at) => {
    const folder = treeOf(name, isMoved);
    return isHttp ? overHttp(folder, name, at) : overStdio(folder, name);
  };
  const both = [await open(false, port), await open(true, port + 1)];
  try {
    for (const one of both) await costOf(one, message, WARM_UP * count, 8);
    let isEnough = true;
    for (const atOnce of [1, 16]) {
      const costs = [[], []];
      for (let round = 0; round < Number(values.rounds); round++)
        for (const index of round % 2 ? [1, 0] : [0, 1]) costs[index].push(await costOf(both[index], message, count, atOnce));
      const [official, moved] = costs.map((all) => median(all));
      const ratio = median(costs[0].map((cost, round) => cost / costs[1][round])); // both of a round had the same neighbours
      isEnough &&= ratio >= least;
      console.log(
        `${title}, ${atOnce} in flight: ${official.toFixed(0)} → ${moved.toFixed(0)} µs (×${ratio.toFixed(2)}, at least ×${least})`,
      );
    }
    return isEnough;
  } finally {
    for (const { child } of both) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}

/** How much later a moved server is ready: CPU time from its start to its first response. */
async function startsOf(name) {
  const starts = [[], []];
  for (let round = 0; round < Number(values.rounds); round++)
    for (const index of round % 2 ? [1, 0] : [0, 1]) {
      const { child, startCpu } = await overStdio(treeOf(name, index === 1), name);
      starts[index].push(startCpu);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  const [official, moved] = starts.map((all) => median(all));
  console.log(
    `start of ${name}: ${official.toFixed(0)} → ${moved.toFixed(0)} ms of CPU (${(moved - official).toFixed(0)} ms, at most 30)`,
  );
  return moved - official <= 30;
}

let isEnough = true;
for (const [index, row] of ROWS.entries()) isEnough = (await measure(row, 38_710 + 2 * index)) && isEnough;
if (values.only === "") for (const name of [EVERYTHING, "@hubspot/mcp-server"]) isEnough = (await startsOf(name)) && isEnough;
rmSync(join(repository, "out", "sdk-v1-speed"), { recursive: true, force: true, maxRetries: 5 });
process.exitCode = isEnough ? 0 : 1;
