// Measures the frameworks of the page "Compared with", each with the same server of one tool: what an install brings, which
// revisions its endpoint takes, how soon it answers, and what a call costs. The page's test holds the page to what this writes.
//   node lab/compared/compared.mjs <folder>   needs the folder with an install of each framework (README.md of this folder)
import { spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Endpoint, REVISIONS } from "./endpoint.mjs";
import { freePort } from "../../scripts/free-port.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../docs/project/compared.json", import.meta.url));
const [from] = process.argv.slice(2);
const STARTS = 3;
const [WARM, CALLS, ROUNDS] = [1_500, 500, 4];
const node = process.execPath;

/** Each framework: its package whose version counts, and what starts its server in its folder. */
const FRAMEWORKS = {
  tenon: { of: "tenon", command: [node, "server.mjs"] },
  official: { of: "@modelcontextprotocol/server", command: [node, "server.mjs"] },
  fastmcp: { of: "fastmcp", command: [node, "server.mjs"] },
  "mcp-use": { of: "mcp-use", command: [node, "server.mjs"] },
  xmcp: { of: "xmcp", command: [node, "dist/http.js"], built: "xmcp build", port: 38_461 },
  python: { command: [join("bin", "python"), "server.py"] },
};

/** What an install brings: its version, its packages, its megabytes (10^6 bytes of files). */
function installed(name, folder) {
  const { of } = FRAMEWORKS[name];
  const files = name === "python" ? join(folder, "lib") : join(folder, "node_modules");
  const megabytes = Math.round(Number(spawnSync("du", ["-sb", files], { encoding: "utf8" }).stdout.split("\t")[0]) / 1e6);
  if (of === undefined) {
    const list = spawnSync(join(folder, "bin", "python"), ["-m", "pip", "list", "--format", "json"], { encoding: "utf8" });
    const packages = JSON.parse(list.stdout).filter((each) => !["pip", "setuptools"].includes(each.name));
    return { version: packages.find((each) => each.name === "fastmcp").version, packages: packages.length, megabytes };
  }
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return { version: packages[`node_modules/${of}`].version, packages: Object.keys(packages).length - 1, megabytes };
}

/** Starts the server of a framework; resolves when it has answered, with the CPU milliseconds that it took. */
async function start(name, folder) {
  const port = FRAMEWORKS[name].port ?? (await freePort());
  const [command, ...args] = FRAMEWORKS[name].command;
  const env = { ...process.env, PORT: String(port), NODE_ENV: "production" };
  const child = spawn(command.startsWith("/") ? command : join(folder, command), args, { cwd: folder, env, stdio: "ignore" });
  const endpoint = new Endpoint(`http://127.0.0.1:${port}/mcp`);
  await endpoint.ready(child);
  return { child, endpoint, ms: cpuOf(child) };
}

/** CPU milliseconds that a process has used (Linux: /proc counts in hundredths of a second). */
function cpuOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measure(name) {
  const folder = join(from, name);
  cpSync(join(here, "programs", name), folder, { recursive: true });
  if (FRAMEWORKS[name].built) spawnSync("npx", FRAMEWORKS[name].built.split(" "), { cwd: folder, stdio: "inherit" });
  const starts = [];
  for (let at = 0; at < STARTS; at += 1) {
    const { child, ms } = await start(name, folder);
    child.kill("SIGKILL");
    starts.push(ms);
  }
  const { child, endpoint } = await start(name, folder);
  const revisions = [];
  for (const revision of REVISIONS) if (await endpoint.speaks(revision)) revisions.push(revision);
  const call = {};
  for (const revision of ["2025-11-25", "2026-07-28"].filter((each) => revisions.includes(each))) {
    await endpoint.open(revision);
    await endpoint.calls(WARM);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = cpuOf(child);
      await endpoint.calls(CALLS);
      rounds.push(((cpuOf(child) - before) * 1_000) / CALLS);
    }
    call[revision] = Math.round(Math.min(...rounds)); // what other programs do at the same time only adds
  }
  child.kill("SIGKILL");
  return { ...installed(name, folder), start: Math.round(Math.min(...starts)), revisions, call };
}

const found = {};
for (const name of Object.keys(FRAMEWORKS)) {
  found[name] = await measure(name);
  console.log(name, JSON.stringify(found[name]));
}
const date = new Date().toISOString().slice(0, 10);
const machine = `${cpus().length} cores, Node ${process.versions.node}`;
const python = spawnSync(join(from, "python", "bin", "python"), ["--version"], { encoding: "utf8" }).stdout.trim();
writeFileSync(out, `${JSON.stringify({ date, machine: `${machine}, ${python}`, frameworks: found }, undefined, 1)}\n`);
console.log(`written: ${statSync(out).size} bytes`);
