// Runs the programs of the page "Compared with" for its everyday tasks, each in the folder of its framework, and says on which revisions each
// does what the page says of it. Exit code 1 if one does something else.
//   node lab/compared/tasks.mjs <folder> [task/framework ...]   needs the folder with an install of each framework (README.md of this folder)
import { deepEqual, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { startAuthorizationServer } from "tenon/testing";
import * as z from "zod";
import { Bench, BOTH, textOf } from "../agent-tasks/support/bench.mjs";
import { Program } from "../agent-tasks/support/program.mjs";
import { freePort } from "../../scripts/free-port.mjs";

const here = fileURLToPath(new URL("tasks/", import.meta.url));
const [from = "", ...only] = process.argv.slice(2);
const [OLD, NEW] = BOTH;
const STATE_KEY = "0123456789abcdef0123456789abcdef";

/** The programs, and on which revisions each works. One that is run once has its own client in it. */
const PROGRAMS = {
  "book/python.py": [OLD],
  "book/fastmcp.mjs": [OLD],
  "book/mcp-use.mjs": [NEW],
  "book/xmcp.txt": [NEW],
  "mount/python.py": BOTH,
  "mount/fastmcp.mjs": [OLD],
  "mount/mcp-use.mjs": BOTH,
  "mount/xmcp.txt": BOTH,
  "scope/python.py": BOTH,
  "scope/fastmcp.mjs": [OLD],
  "scope/mcp-use.mjs": BOTH,
  "scope/xmcp.txt": BOTH,
  "client/python.py": "2\n",
  "client/mcp-use-1.mjs": "2\n",
  "client/xmcp.mjs": "2\n",
  "test/python.py": "booked\n",
  "test/fastmcp.mjs": "booked\n",
  "test/mcp-use.mjs": "booked\n",
  "test/xmcp.txt": "booked\n",
};

function accept({ requestedSchema }) {
  const fields = Object.keys(requestedSchema?.properties ?? {});
  const content = Object.fromEntries(fields.map((name) => [name, name === "seat" ? "12A" : true]));
  return { action: "accept", content };
}

/** What each task must do, asked by the official client. */
const TASKS = {
  book: async ({ bench, url, revision }) => {
    const client = await bench.http(url, { revision, elicit: accept });
    deepEqual(JSON.parse(textOf(await client.callTool({ name: "book" }))), { seat: "12A", price: 72, paid: true });
  },
  mount: async ({ bench, url, revision }) => {
    const client = await bench.http(url, { revision });
    equal(textOf(await client.callTool({ name: "hello" })), "Hello!");
    deepEqual(await (await fetch(new URL("/version", url))).json(), { version: "1.0.0" });
  },
  scope: async ({ bench, url, revision, tokenOf }) => {
    const call = async (scopes) => {
      const client = await bench.http(url, { revision, token: await tokenOf(scopes) });
      return client.callTool({ name: "delete" });
    };
    equal(textOf(await call(["files:write"])), "For ann");
    equal((await call([]).catch(() => ({ isError: true }))).isError, true, "no scope is needed");
    equal((await fetch(url, { method: "POST" })).status, 401);
  },
};

const commandOf = (folder, framework) => (framework.endsWith(".py") ? join(folder, "bin", "python") : process.execPath);

/** Starts a program in the folder of its framework. */
function start(program, env) {
  const [task, file] = program.split("/");
  const folder = join(from, file.replace(/\.\w+$/, ""));
  if (file.endsWith(".txt")) return new Program(process.execPath, [built(program, folder, env)], { cwd: folder, env });
  const name = `${task}-${file}`;
  cpSync(join(here, program), join(folder, name));
  return new Program(commandOf(folder, file), [name], { cwd: folder, env });
}

/** The configuration of a program that has none of its own. */
const SERVED = `const http = { port: Number(process.env.PORT), host: "127.0.0.1" };
export default { http, paths: { prompts: false, resources: false } };
`;

/** Writes the files of a program of xmcp, each below a comment with its name, and builds it. Returns what starts it. */
function built(program, folder, env) {
  for (const old of ["src", "dist", ".xmcp", "server.mjs"]) rmSync(join(folder, old), { recursive: true, force: true });
  const [, ...parts] = readFileSync(join(here, program), "utf8").split(/^\/\/ (\S+\.\w+)\n/m);
  cpSync(join(here, "../programs/xmcp/tsconfig.json"), join(folder, "tsconfig.json"));
  const files = new Map([["xmcp.config.ts", SERVED]]);
  for (let at = 0; at < parts.length; at += 2) files.set(parts[at], parts[at + 1]);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { status, stdout } = spawnSync("npx", ["xmcp", "build"], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`xmcp build: ${stdout.slice(-2_000)}`);
  return files.has("server.mjs") ? "server.mjs" : "dist/http.js";
}

/** The revisions on which a server does what its task says. */
async function worksOn(program, bench, login) {
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/mcp`;
  const started = start(program, {
    PORT: String(port),
    STATE_KEY,
    ISSUER: login.issuer,
    AUDIENCE: audience,
    NODE_ENV: "production",
  });
  bench.later(() => started.end());
  await started.answers(audience);
  const tokenOf = (scopes) => login.issueAccessToken({ subject: "ann", audience, scopes });
  const found = [];
  for (const revision of BOTH)
    try {
      await TASKS[program.split("/")[0]]({ bench, url: audience, revision, tokenOf });
      found.push(revision);
    } catch (error) {
      if (PROGRAMS[program].includes(revision))
        console.error(`${program}, ${revision}: ${error.message}\n${started.stderr.slice(-2_000)}`);
    }
  return found;
}

/** What a program prints that has its own client, or that calls a server here. */
async function printedBy(program, bench) {
  const server = new McpServer({ name: "next", version: "1.0.0" });
  const [input, output] = [z.object({ a: z.int() }), z.object({ b: z.int() })];
  server.tool("next", { input, output }, ({ a }) => ({ b: a + 1 }));
  const http = await serveHttp(server, { port: 0 });
  const started = start(program, { URL: http.url });
  bench.later(() => http.close());
  bench.later(() => started.end());
  const code = await started.ended();
  // Some write a log there, too.
  return code === 0
    ? `${started.stdout.trim().split("\n").at(-1)}\n`
    : `${started.stdout}[exit code ${code}] ${started.stderr.slice(-2_000)}`;
}

const login = await startAuthorizationServer();
for (const [program, expected] of Object.entries(PROGRAMS)) {
  if (only.length > 0 && !only.includes(program.replace(/\.\w+$/, ""))) continue;
  const bench = new Bench(from);
  let found;
  try {
    found = await (typeof expected === "string" ? printedBy(program, bench) : worksOn(program, bench, login));
    deepEqual(found, expected);
    console.log(`as the page says  ${program}: ${typeof found === "string" ? found.trim() : found.join(", ")}`);
  } catch (error) {
    console.log(`OTHERWISE  ${program}: ${found ?? error.message}`);
    process.exitCode = 1;
  } finally {
    await bench.close();
  }
}
await login.close();
process.exit();
