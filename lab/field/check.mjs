// `tenon check` over the real servers of field.json: what it finds, by rule and server, and which of it is a false alarm.
//   npm run field:check                   all that are installed (npm run field -- --install), some minutes
//   npm run field:check -- --only nx-mcp  these alone
//   npm run field:check -- --page         also writes docs/project/check-field.json
// A finding is a false alarm if nothing refuses what it names, and no model chooses worse for it: false-alarms.json names each, with
// the reason. Exits with 1 if 2 % of the findings or more are, or a server was not reached. Needs a build.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { folderOf, isInstalled } from "./install.mjs";
import { rows } from "./rows.mjs";
import { prepared } from "./servers/files.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const MAIN = fileURLToPath(new URL("../../packages/tenon-cli/dist/main.js", import.meta.url));
const PAGE = fileURLToPath(new URL("../../docs/project/check-field.json", import.meta.url));
const alarms = JSON.parse(readFileSync(new URL("false-alarms.json", import.meta.url), "utf8"));
const { values: given } = parseArgs({ options: { only: { type: "string" }, page: { type: "boolean", default: false } } });

/** Milliseconds for one server. */
const LIMIT = 120_000;

function programOf(row) {
  const { bin } = JSON.parse(readFileSync(join(folderOf(row.package), "node_modules", row.package, "package.json"), "utf8"));
  const names = typeof bin === "string" ? [basename(row.package)] : Object.keys(bin);
  return { command: join(folderOf(row.package), "node_modules", ".bin", row.bin ?? names[0]), args: row.args ?? [] };
}

/** Runs `tenon check --json` over a server. Resolves with its report, or with why there is none. */
function check(row) {
  const folder = mkdtempSync(join(tmpdir(), "field-check-"));
  const { command, args } = prepared(programOf(row), folder);
  const env = Object.entries(row.env ?? {}).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  const words = [MAIN, "check", "--json", "--quiet", "--timeout", "60000", ...env, "--", command, ...args];
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMIT,
    killSignal: "SIGKILL",
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  return new Promise((resolve) => {
    child.on("close", () => {
      rmSync(folder, { recursive: true, force: true });
      try {
        resolve(JSON.parse(text));
      } catch {
        resolve({ error: { message: "no report" } });
      }
    });
  });
}

/** Whether a finding is in the list of false alarms. */
const isFalse = (server, { rule, where }) =>
  alarms.some((one) => one.server === server && one.rule === rule && one.where === where);

/** One server's line of the table. */
function summed(row, { findings, tokens }) {
  const rules = {};
  for (const { rule } of findings) rules[rule] = (rules[rule] ?? 0) + 1;
  const wrong = findings.filter((finding) => isFalse(row.name, finding)).length;
  const tools = Object.keys(tokens.tools).length;
  return {
    server: row.name,
    version: row.version,
    tools,
    tokens: tokens.list,
    findings: findings.length,
    falseAlarms: wrong,
    rules,
  };
}

const wanted = rows.filter(
  ({ kind, http, name }) =>
    kind === "servers" && http === undefined && (given.only ?? name).split(",").some((part) => name.includes(part)),
);
const [servers, failed, all] = [[], [], []];
for (const row of wanted.filter(isInstalled)) {
  const report = await check(row);
  if (report.error !== undefined) {
    failed.push({ server: row.name, why: report.error.message });
    console.error(`${row.name}: ${report.error.message}`);
    continue;
  }
  servers.push(summed(row, report));
  all.push(...report.findings.map((finding) => ({ server: row.name, ...finding })));
  console.error(`${row.name}: ${report.findings.length} findings`);
}
const missing = wanted.filter((row) => !isInstalled(row)).map(({ name }) => name);

/** The rows of this run; those of other servers stay as an earlier run has written them. */
function kept() {
  const before = given.page && existsSync(PAGE) ? JSON.parse(readFileSync(PAGE, "utf8")) : { servers: [] };
  const ran = new Set([...servers, ...failed].map(({ server }) => server));
  const all = [...before.servers.filter(({ server }) => !ran.has(server)), ...servers];
  return all.toSorted((one, other) => (one.server < other.server ? -1 : 1));
}

const rowsOfAll = kept();
const sum = (member) => rowsOfAll.reduce((all, one) => all + one[member], 0);
const [findings, falseAlarms] = [sum("findings"), sum("falseAlarms")];
const share = findings === 0 ? 0 : Math.round((falseAlarms / findings) * 10_000) / 10_000;
const total = { servers: rowsOfAll.length, tools: sum("tools"), findings, falseAlarms, share };
if (given.page) writeFileSync(PAGE, `${JSON.stringify({ total, servers: rowsOfAll, notReached: failed }, undefined, 2)}\n`);
console.log(JSON.stringify({ total, servers, failed, missing, all }, undefined, 2));
process.exitCode = total.share < 0.02 && failed.length === 0 && missing.length === 0 ? 0 : 1;
