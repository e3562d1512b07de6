// One real client in all ways: over stdio and over HTTP, each at the server of Tenon and at the same server of the official SDK.
// What the client makes of the one is compared with what it makes of the other.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../scripts/free-port.mjs";
import { differences, short } from "../differences.mjs";
import { folderOf } from "../install.mjs";
import { runInProcess } from "../processes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SERVE = here("serve.mjs");
/** What both servers offer. */
const TOOLS = 12;
const SHARED = ["bridge.mjs", "other-language.mjs", "client.py"];

/** The driver of a client, laid beside its packages with what drivers share, so that it imports what was installed. */
function driverOf({ name }) {
  const folder = folderOf(name);
  for (const file of SHARED) copyFileSync(here(`drivers/${file}`), join(folder, file));
  const driver = join(folder, "driver.mjs");
  copyFileSync(here(`drivers/${basename(folder)}.mjs`), driver);
  return driver;
}

/** A server over HTTP, for one client. */
async function serveOverHttp(sdk) {
  const child = spawn(process.execPath, [SERVE, sdk, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const [url] = await Promise.race([once(lines, "line"), once(lines, "close")]);
  if (url === undefined) throw new Error(`The server on ${sdk} did not start`);
  return { url, end: () => child.kill("SIGKILL") };
}

/** What a client makes of one server. */
async function meet(row, over, sdk, signal) {
  const limit = (row.limit ?? 120) * 1_000;
  const driver = driverOf(row);
  const served = over === "http" ? await serveOverHttp(sdk) : undefined;
  const port = await freePort(); // for a bridge
  const task = (folder, env) => ({
    driver,
    target:
      served === undefined
        ? { program: { command: process.execPath, args: [SERVE, sdk, "stdio"], env }, port }
        : { url: served.url },
  });
  try {
    return await runInProcess(here("observe.mjs"), task, { limit, signal });
  } finally {
    served?.end();
  }
}

/** Whether a client does at a server of Tenon what users want: it connects, has all tools, and gets the result of a call. */
const worksWith = ({ connect, list, calls }) =>
  connect === "connected" && list?.length === TOOLS && JSON.stringify(calls?.text ?? null).includes("5");

/** Observes a client in all ways and compares. */
export async function runClient(row, { signal, step }) {
  const found = [];
  const ways = row.over ?? ["stdio", "http"];
  for (const over of ways) {
    const seen = {};
    for (const sdk of ["official", "tenon"]) {
      step(`${over}, ${sdk}`);
      seen[sdk] = await meet(row, over, sdk, signal);
      if (signal.aborted) return;
    }
    const { official, tenon } = seen;
    for (const { path, first, second } of differences(official, tenon)) {
      found.push({ column: over, at: `${over} ${path}`, official: short(first), tenon: short(second) });
    }
    if (!worksWith(tenon)) found.push({ column: over, at: `${over} fails`, official: short(official), tenon: short(tenon) });
  }
  return { name: row.name, version: row.version, over: ways, differences: found };
}
