// Requests changed at random, sent to a real server in a process of its own over HTTP and stdio: lab/fuzz/README.md.
//   npm run fuzz:wire                                        20 000 over HTTP, 5 000 over stdio, 20 000 answers for a client, from a seed that is drawn
//   npm run fuzz:wire -- --http 2000 --stdio 500 --seed 1    fewer, and the same at every run
//   npm run fuzz:wire -- --http 300 --stdio 300 --broken     the negative control: a server that leaves requests open must be found out
//   npm run fuzz:wire -- --client 1000 --http 0 --stdio 0    answers changed at random, half of them over HTTP, for a real client in a process of its own
// Fails if a request is not answered, if an answer is a 5xx other than 503 or tells what is inside, if a line of the server is no
// message, if the operator is told of an error of the language, or if a well-behaved client beside is not served. Writes
// out/fuzz-wire.json.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { randomFrom } from "./mutate-input.mjs";
import { HttpTarget } from "./wire/http.mjs";
import { StdioTarget } from "./wire/stdio.mjs";
import { bundleSources } from "../../scripts/source-bundle.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const project = fileURLToPath(new URL("../..", import.meta.url));
const { values: given } = parseArgs({
  options: {
    http: { type: "string", default: "20000" },
    stdio: { type: "string", default: "5000" },
    client: { type: "string", default: "20000" },
    seed: { type: "string" },
    broken: { type: "boolean" },
  },
});
const seed = Number(given.seed ?? Math.floor(Math.random() * 2 ** 31));
const control = given.broken ? ["broken"] : [];
const seeds = JSON.parse(readFileSync(join(project, "lab/fuzz/wire/seeds.json"), "utf8"));

async function overHttp(file) {
  const server = fork(file, ["http", ...control], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const [{ url }] = await once(server, "message");
  const target = new HttpTarget(Number(new URL(url).port), seeds.http, randomFrom(seed));
  createInterface({ input: server.stderr }).on(
    "line",
    (line) => line.startsWith("FAULT") && target.faults.push({ fault: line, input: "" }),
  );
  server.on("exit", (code) => target.faults.push({ fault: `the process ended with ${code}`, input: "" }));
  await target.run(Number(given.http), (tried) => console.log(`http: ${tried} requests`));
  server.removeAllListeners("exit");
  server.disconnect();
  await once(server, "exit");
  console.log(`http: statuses ${JSON.stringify(Object.fromEntries([...target.statuses].toSorted()))}`);
  return target;
}

async function overStdio(file) {
  const target = new StdioTarget([file, "stdio", ...control], seeds.stdio, randomFrom(seed + 1));
  await target.run(Number(given.stdio), (tried) => console.log(`stdio: ${tried} lines`));
  return target;
}

/** A client at a hostile server, over HTTP and then over stdio. Resolves with what the client found wrong with its calls. */
async function atHostileServers(client, hostile) {
  const server = fork(hostile, ["http", String(seed + 2), ...control]);
  const [{ url }] = await once(server, "message");
  const half = Math.ceil(Number(given.client) / 2);
  const found = [await calls(client, ["http", url, half]), await calls(client, ["stdio", hostile, Number(given.client) - half])];
  server.disconnect();
  return { tried: found[0].tried + found[1].tried, faults: found.flatMap(({ faults }) => faults) };
}

/** The calls of one client process. */
async function calls(file, args) {
  const client = fork(file, [...args, seed, ...control].map(String), { execArgv: ["--expose-gc"] });
  let found = { tried: 0, faults: [{ fault: "the client's process ended", input: "" }] };
  client.on("message", (told) =>
    "progress" in told ? console.log(`client, ${args[0]}: ${told.progress} calls`) : (found = told),
  );
  await once(client, "exit");
  console.log(`client, ${args[0]}: ended with ${JSON.stringify(found.outcomes ?? {})}`);
  return found;
}

async function main(folder) {
  const bundled = (name) => bundleSources(join(project, `lab/fuzz/wire/${name}.mjs`), join(folder, `${name}.mjs`));
  const [file, hostile, client] = [await bundled("server"), await bundled("hostile"), await bundled("client")];
  console.log(`seed ${seed}`);
  const [http, stdio, called] = [await overHttp(file), await overStdio(file), await atHostileServers(client, hostile)];
  const faults = [...http.faults, ...stdio.faults, ...called.faults];
  for (const { fault, input, answer } of faults)
    console.log(`FAULT ${fault}\n  ${JSON.stringify(input)}\n  ${JSON.stringify(answer ?? "")}`);
  mkdirSync(join(project, "out"), { recursive: true });
  const found = { seed, http: http.tried, stdio: stdio.tried, client: called.tried, faults };
  writeFileSync(join(project, "out/fuzz-wire.json"), `${JSON.stringify(found, undefined, 2)}\n`);
  console.log(
    `${http.tried} requests over HTTP, ${stdio.tried} lines over stdio, ${called.tried} calls at hostile servers, ${faults.length} faults`,
  );
  if (given.broken)
    console.log(faults.length > 0 ? "the broken server was found out" : "it was not found out: this run proves nothing");
  process.exitCode = (given.broken ? faults.length > 0 : faults.length === 0) ? 0 : 1;
}

const folder = mkdtempSync(join(tmpdir(), "tenon-fuzz-wire-"));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
