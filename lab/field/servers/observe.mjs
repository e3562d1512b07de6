// One way to one server, in a process of its own: starts the server, asks what the row says, and tells the parent what came back,
// section by section, so that a time limit costs only what was not reached. Nothing is judged here.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectOfficial } from "./official.mjs";
import { prepared } from "./files.mjs";
import { startHttp } from "./over-http.mjs";
import { connectTenon } from "./tenon.mjs";

const COMMAND = fileURLToPath(new URL("../../../packages/tenon-cli/dist/main.js", import.meta.url));
/** The name of the server in the gateway: it stands before the names of tools and prompts. */
const NAME = "s";
const KINDS = { tools: "tools", resources: "resources", resourceTemplates: "resources", prompts: "prompts" };
/** So many resources and prompts are read. */
const READ = 2;

/** `tenon gateway` in front of the program: a program too. */
function behindGateway(program, folder) {
  const { command, args, env, cwd, url } = program;
  const file = join(folder, "gateway.json");
  const entry = url === undefined ? { command, args, env, cwd } : { url };
  writeFileSync(file, JSON.stringify({ mcpServers: { [NAME]: entry }, tenon: { readyTimeout: 60_000 } }));
  return { command: process.execPath, args: [COMMAND, "gateway", file, "--yes"], env, cwd };
}

const WAYS = {
  official: (program) => connectOfficial(program),
  tenon: (program) => connectTenon(program),
  gateway: (program, folder) => connectOfficial(behindGateway(program, folder)),
};

/** The value, or the error as a value. Texts that name the folder of this run are the same in each run. */
async function tried(client, folder, ask) {
  const outcome = await Promise.resolve()
    .then(ask)
    .catch((error) => ({ error: client?.plain(error) ?? { code: error.code, message: error.message } }));
  return outcome === undefined ? undefined : JSON.parse(JSON.stringify(outcome).replaceAll(folder, "<home>"));
}

/** What of a list has no argument, so that it can be asked for as it is. */
const isAskable = ({ arguments: args = [] }) => args.every(({ required }) => required !== true);

/** Such a tool is called without arguments too: what the server says of them must arrive. */
const needsArguments = ({ inputSchema }) => (inputSchema.required ?? []).length > 0;

/** Starts a server that listens, if it is one, and observes. */
async function observeAt(task) {
  if (task.program.http === undefined) return observe(task);
  const { url, end } = await startHttp(task.program);
  try {
    await observe({ ...task, program: { ...task.program, url } });
  } finally {
    await end();
  }
}

async function observe({ way, program, folder, calls = [], declared }) {
  const prefix = way === "gateway" ? `${NAME}__` : "";
  const tell = (part) => process.send(part);
  const started = performance.now();
  let client;
  try {
    client = await WAYS[way](program, folder);
  } catch ({ code, message }) {
    return void tell({ start: { error: { code, message } } });
  }
  const ask = (what) => tried(client, folder, what);
  const start = await ask(() => client.about());
  tell({ start, revision: client.revision?.() });
  // A gateway declares more than its server: it is asked for what the server has.
  const capabilities = declared ?? start.capabilities ?? {};

  const lists = {};
  for (const [kind, capability] of Object.entries(KINDS)) {
    if (capabilities[capability] !== undefined) lists[kind] = await ask(() => client.list(kind));
    if (kind === "tools") tell({ firstList: Math.round(performance.now() - started) });
    if (Array.isArray(lists[kind])) lists[kind] = lists[kind].map((one) => ({ ...one, name: one.name.replace(prefix, "") }));
  }
  tell({ lists });

  const results = {};
  const tools = Array.isArray(lists.tools) ? lists.tools : [];
  const asked = [
    ...calls,
    ...tools
      .filter(needsArguments)
      .slice(0, 1)
      .map(({ name }) => [name, {}]),
  ];
  for (const [name, args] of asked) {
    const given = JSON.parse(JSON.stringify(args).replaceAll("<home>", folder));
    results[`call ${name} ${JSON.stringify(args)}`] = await ask(() => client.call(prefix + name, given));
  }
  const resources = Array.isArray(lists.resources) ? lists.resources : [];
  for (const { uri } of resources.slice(0, READ)) results[`read ${uri}`] = await ask(() => client.read(uri));
  const prompts = (Array.isArray(lists.prompts) ? lists.prompts : []).filter(isAskable);
  for (const { name } of prompts.slice(0, READ)) results[`prompt ${name}`] = await ask(() => client.prompt(prefix + name));
  tell({ results });

  const errors = {};
  const missing = {
    tools: () => client.call(`${prefix}no_such_tool`, {}),
    prompts: () => client.prompt(`${prefix}no_such_prompt`),
  };
  if (capabilities.resources) missing.resources = () => client.read("field:///nothing");
  for (const [kind, question] of Object.entries(missing)) {
    if (capabilities[kind] !== undefined) errors[`no such ${kind.slice(0, -1)}`] = await ask(question);
  }
  tell({ errors, deviations: client.deviations?.() ?? [] });
  const closing = performance.now();
  await client.close();
  tell({ closed: Math.round(performance.now() - closing) });
}

process.once("message", (task) => {
  // The parent ends what does not end by itself.
  observeAt({ ...task, program: prepared(task.program, task.folder) })
    .catch((error) => process.send({ fault: String(error.stack ?? error) }))
    .finally(() => process.disconnect());
});
