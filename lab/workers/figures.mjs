// Measures what workers gain and cost: `npm run workers:figures` (docs/serving/workers.md).
//   npm run workers:figures -- 0 2 5      tools of 0, 2 and 5 milliseconds of the processor
// One process, two workers and two processes of a bare node:cluster take turns, with 16 calls in flight. Prints calls a second,
// CPU milliseconds a call of all processes of the server, and the memory of each process; then what a second worker takes of memory
// and what sessions cost. The driver needs a core too: on two cores it takes from both sides, and with a tool that does nothing it is
// the limit.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endWithReader } from "../../scripts/stdout.mjs";
import { stepsPerMillisecond } from "./burn.mjs";

endWithReader();

const PROGRAM = fileURLToPath(new URL("program.mjs", import.meta.url));
/** Processes that serve, the primary process of workers included. */
const PROCESSES = { one: 1, two: 3, bare: 2 };
const [IN_FLIGHT, SECONDS, ROUNDS] = [16, 2, 5];
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
const STATELESS = {
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "work" },
  params: {
    name: "work",
    arguments: {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "figures", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

/** Starts a server. Resolves when all of its processes serve. */
async function start(steps, how) {
  const child = spawn(process.execPath, [PROGRAM, String(steps), how], { stdio: ["ignore", "pipe", "inherit"] });
  const pids = [];
  for await (const line of createInterface(child.stdout)) {
    const [, pid, url] = line.split(" ");
    if (pids.push(Number(pid)) === PROCESSES[how]) return { how, child, pids, url, calls: 0, ms: 0, cpu: 0 };
  }
  throw new Error(`A server ended with ${child.exitCode}`);
}

function post(url, headers, body) {
  const own = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers: { ...own, ...headers } }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve({ text: Buffer.concat(parts).toString(), headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", ...body }));
  });
}

/** How calls of a new session are sent. */
async function openSession(url) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "figures", version: "1.0.0" } };
  const { headers } = await post(url, {}, { id: 0, method: "initialize", params });
  const own = { "mcp-session-id": headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25" };
  await post(url, own, { method: "notifications/initialized" });
  return { headers: own, params: { name: "work", arguments: {} } };
}

/** User and system time of a process, in milliseconds. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory, and the part of it that no other process shares, in MiB. */
function memoryOf(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const size = (name) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(rollup)[1]) / 1_024);
  return { all: size("Rss"), own: size("Private_Dirty") };
}

const sum = (pids) => pids.reduce((total, pid) => total + cpuOf(pid), 0);

/** Calls for some seconds, and adds what they took. */
async function measure(server, { headers, params }, seconds) {
  const [began, before] = [performance.now(), sum(server.pids)];
  const end = began + seconds * 1_000;
  let id = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() < end) {
        const { text } = await post(server.url, headers, { id: ++id, method: "tools/call", params });
        if (!text.includes('"done"')) throw new Error(`Not a result: ${text}`);
        server.calls++;
      }
    }),
  );
  server.ms += performance.now() - began;
  server.cpu += sum(server.pids) - before;
}

async function row(ms, steps, family) {
  const servers = await Promise.all(
    (family === "session" ? ["one", "two"] : ["one", "two", "bare"]).map((how) => start(steps, how)),
  );
  const hows = await Promise.all(servers.map(async ({ url }) => (family === "session" ? openSession(url) : STATELESS)));
  for (const [index, server] of servers.entries()) {
    await measure(server, hows[index], 1);
    Object.assign(server, { calls: 0, ms: 0, cpu: 0 });
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, server] of servers.entries()) await measure(server, hows[index], SECONDS);
  const [one] = servers;
  const rate = ({ calls, ms: took }) => calls / (took / 1_000);
  for (const server of servers) {
    const workers = server.pids.filter((pid) => pid !== server.child.pid); // without the primary process
    server.ownMemory = workers.map((pid) => memoryOf(pid).own);
    const figures = [
      `${rate(server).toFixed(0)} calls/s`,
      `${(rate(server) / rate(one)).toFixed(2)} of one`,
      `${(server.cpu / server.calls).toFixed(2)} ms CPU`,
      `memory ${server.pids.map((pid) => `${memoryOf(pid).all} (${memoryOf(pid).own})`).join(", ")} MiB`,
    ];
    console.log(`${ms} ms, ${family}, ${server.how}: ${figures.join(", ")}`);
    server.child.kill("SIGTERM");
  }
  return servers.map(({ how, cpu, calls, ownMemory }) => ({ how, cpu: cpu / calls, ownMemory }));
}

/** What a row of each family says together: the memory of a worker, and what sessions cost of a call. */
function say(ms, stateless, session) {
  const of = (rows, how) => rows.find((row) => row.how === how);
  const [, second] = of(stateless, "two").ownMemory;
  console.log(`${ms} ms: the second worker has ${second} MiB of its own`);
  for (const how of ["one", "two"]) {
    const ratio = of(session, how).cpu / of(stateless, how).cpu;
    console.log(`${ms} ms: with sessions a call of ${how} takes ${ratio.toFixed(2)} times the CPU time of one without`);
  }
}

const given = process.argv.slice(2).map(Number);
const perMillisecond = stepsPerMillisecond();
for (const ms of given.length > 0 ? given : [0, 2, 5]) {
  const steps = Math.round(ms * perMillisecond);
  say(ms, await row(ms, steps, "stateless"), await row(ms, steps, "session"));
}
agent.destroy();
