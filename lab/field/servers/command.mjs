// What `tenon list` and `tenon doctor` say of one server, as a user runs them: with a configuration file, in a process of their
// own.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { prepared } from "./files.mjs";
import { startHttp } from "./over-http.mjs";

const COMMAND = fileURLToPath(new URL("../../../packages/tenon-cli/dist/main.js", import.meta.url));
const run = promisify(execFile);

/** The exit code and the one JSON document of a command. */
async function said(args, program) {
  const outcome = await run(process.execPath, [COMMAND, ...args, "--yes", "--json"], {
    cwd: program.cwd,
    env: program.env,
    maxBuffer: 1 << 27,
  }).catch((error) => error);
  try {
    return { code: outcome.code ?? 0, json: JSON.parse(outcome.stdout) };
  } catch {
    return { code: outcome.code ?? 0, json: { error: { message: `no JSON on stdout: ${outcome.stderr.slice(0, 300)}` } } };
  }
}

async function ask({ program, folder }) {
  const { command, args, env, cwd, http } = program;
  const served = http === undefined ? undefined : await startHttp(program);
  const file = join(folder, "mcp.json");
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { s: served === undefined ? { command, args, env, cwd } : { url: served.url } } }),
  );
  const list = await said(["list", "s", "--config", file, "--quiet"], program);
  const kinds = ["tools", "resources", "resourceTemplates", "prompts"];
  const lists = Object.fromEntries(kinds.map((kind) => [kind, list.json[kind]?.map(({ name }) => name)]));
  const doctor = await said(["doctor", "s", "--config", file], program);
  const faults = [];
  if (list.code !== 0)
    faults.push({ at: `list ends with ${list.code}`, what: JSON.stringify(list.json.errors ?? list.json.error ?? list.json) });
  if (doctor.code !== 0) {
    const hop = doctor.json.hops?.find((one) => one.hop === doctor.json.failed);
    faults.push({ at: `doctor fails at ${doctor.json.failed}`, what: hop?.detail ?? JSON.stringify(doctor.json.error) });
  }
  await served?.end();
  process.send({ lists, faults, closed: 0 });
}

process.once("message", (task) => {
  ask({ ...task, program: prepared(task.program, task.folder) })
    .catch((error) => process.send({ fault: String(error.stack ?? error) }))
    .finally(() => process.disconnect());
});
