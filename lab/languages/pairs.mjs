// The pairs of a run, and how one is tried: a partner's server with Tenon's client, or a partner's client with Tenon's server.
import { spawn } from "node:child_process";
import { connect as dial } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clientOf, serverOf, TABLE } from "../../bench/languages/peers.mjs";
import { askAll } from "./checks.mjs";
import { freePort } from "../../scripts/free-port.mjs";

const OURS = fileURLToPath(new URL("server.mjs", import.meta.url));
/** Milliseconds for one pair: its checks have limits of their own. */
const LIMIT = 180_000;

/** The families that a partner has. */
const familiesOf = (id) => ["2025", "2026"].filter((family) => TABLE[id].supports.stdio.includes(family));

/** All pairs of some partners; in the short run each partner's newest family over HTTP, in both directions. */
export function pairsOf(ids, isShort) {
  return ids.flatMap((partner) => {
    const families = isShort ? familiesOf(partner).slice(-1) : familiesOf(partner);
    const transports = isShort ? ["http"] : ["stdio", "http"];
    return ["server", "client"].flatMap((side) =>
      families.flatMap((family) => transports.map((transport) => ({ partner, side, family, transport }))),
    );
  });
}

export const nameOf = ({ partner, side, family, transport }) => `${partner} ${side}, ${family}, ${transport}`;

const isListening = (port) =>
  new Promise((resolve) => {
    const socket = dial(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });

function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  return gone;
}

/** A partner's HTTP server, once it listens. */
async function startPartner({ partner, family }) {
  const port = await freePort();
  // Event streams: progress and questions of a call have no other way to the client.
  const { command, args } = serverOf(partner, "interop", { port, response: "sse", family });
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text) => (log = `${log}${text}`.slice(-500)));
  for (const end = Date.now() + 60_000; !(await isListening(port));) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`The server did not start: ${log}`);
    await pause(50);
  }
  return { child, url: `http://127.0.0.1:${port}/mcp` };
}

async function askServer(pair) {
  if (pair.transport === "stdio") return askAll({ ...serverOf(pair.partner, "interop"), stderr: "ignore" }, pair.family);
  const { child, url } = await startPartner(pair);
  try {
    return await askAll(url, pair.family);
  } finally {
    await ended(child);
  }
}

/** Starts Tenon's server over HTTP. */
async function startOurs() {
  const child = spawn(process.execPath, [OURS, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface(child.stdout)) return { child, url };
  throw new Error("Tenon's server ended");
}

/** What a partner's client printed: its checks, and how it ended if that was not well. */
async function askClient({ partner, family, transport }) {
  const ours = transport === "http" ? await startOurs() : undefined;
  try {
    const { command, args } = clientOf(partner, family, transport, ours ? [ours.url] : [process.execPath, OURS, "stdio"]);
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT);
    let log = "";
    child.stderr.on("data", (text) => (log = `${log}${text}`.slice(-500)));
    const seen = {};
    for await (const line of createInterface(child.stdout)) {
      if (!line.startsWith("{")) continue;
      const { check, ...result } = JSON.parse(line);
      seen[check] = result;
    }
    clearTimeout(timer);
    if (Object.keys(seen).length === 0) throw new Error(`The client saw nothing: ${log}`);
    return seen;
  } finally {
    if (ours) await ended(ours.child);
  }
}

/** What each check of a pair saw. */
export const tried = (pair) => (pair.side === "server" ? askServer(pair) : askClient(pair));
