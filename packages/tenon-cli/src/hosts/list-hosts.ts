/** The work of `tenon hosts`: which servers each host has, and whether they start. */
import { type Paint, cleanLine, isJsonObject } from "tenon/internal";
import { timeoutOf, type Invocation, type Outcome } from "../invocation.ts";
import { HostFileError, serversOf } from "./config-file.ts";
import { plainSecretsOf } from "./entry-text.ts";
import { fileOf, type Host, type Scope } from "./host.ts";
import { HOSTS } from "./known-hosts.ts";
import { tryEntry, type EntryState } from "./try-entry.ts";
import { hostsOf, scopeOf, machineOf } from "./typed-hosts.ts";

/** Milliseconds that each server gets to start and list its tools. */
const CHECK_TIMEOUT = 30_000;

interface Installed {
  readonly name: string;
  /** Whether Tenon serves it. */
  readonly tenon: boolean;
  /** Undefined if it was not started. */
  readonly state: EntryState | undefined;
  /** Variables and headers that hold a secret in plain text. */
  readonly secrets: readonly string[];
}

interface HostReport {
  readonly host: string;
  readonly file: string;
  readonly servers: readonly Installed[];
  /** Why the file cannot be read. */
  readonly problem?: string;
}

export async function listHosts(invocation: Invocation): Promise<Outcome> {
  const { values, shell } = invocation;
  const typed = hostsOf(values);
  const scope = scopeOf(values);
  const reports: HostReport[] = [];
  for (const host of typed.length > 0 ? typed : HOSTS.values()) {
    const file = fileOf(host, scope, machineOf(shell), shell.cwd);
    if (file !== undefined) reports.push(await reportOf(host, file, scope, invocation));
  }
  const foundFaults = reports.some(({ problem, servers }) => problem !== undefined || servers.some(({ state }) => state?.starts === false));
  return { json: reports, text: (paint) => describe(reports, paint), foundFaults };
}

async function reportOf(host: Host, file: string, scope: Scope, invocation: Invocation): Promise<HostReport> {
  try {
    const servers: Installed[] = [];
    for (const [name, entry] of await serversOf(host, file)) {
      const state = invocation.values["no-check"] === true ? undefined : await stateOf(host, { name, entry, scope }, invocation);
      servers.push({ name, tenon: isOwn(entry), state, secrets: plainSecretsOf(entry) });
    }
    return { host: host.id, file, servers };
  } catch (error) {
    if (!(error instanceof HostFileError)) throw error;
    return { host: host.id, file, servers: [], problem: error.message };
  }
}

interface Listed {
  readonly name: string;
  readonly entry: unknown;
  readonly scope: Scope;
}

function stateOf(host: Host, { name, entry, scope }: Listed, { shell, terminal, signal, values }: Invocation): Promise<EntryState> {
  terminal.activity(`Starting ${name} as ${host.name} would ...`);
  const folder = scope === "project" ? shell.cwd : undefined;
  return tryEntry(host, entry, { machine: machineOf(shell), folder, timeout: timeoutOf(values) ?? CHECK_TIMEOUT, signal });
}

function isOwn(entry: unknown): boolean {
  const args = isJsonObject(entry) ? entry["args"] : undefined;
  if (!Array.isArray(args)) return false;
  return args.some(
    (word, index) => typeof word === "string" && /[\\/]tenon-cli[\\/]dist[\\/]main\.js$/.test(word) && args[index + 1] === "run",
  );
}

function describe(reports: readonly HostReport[], paint: Paint): string {
  const shown = reports.filter(({ servers, problem }) => servers.length > 0 || problem !== undefined);
  if (shown.length === 0) return `No host has a server there. Known hosts: ${reports.map(({ host }) => host).join(", ")}.`;
  return shown
    .map(({ host, file, servers, problem }) => {
      const width = Math.max(...servers.map(({ name }) => cleanLine(name).length));
      const head = `${paint("bold", HOSTS.get(host)!.name)}  ${cleanLine(file)}`;
      if (problem !== undefined) return `${head}\n  ${paint("red", cleanLine(problem))}`;
      return [head, ...servers.map((server) => `  ${cleanLine(server.name).padEnd(width)}  ${describeServer(server, paint)}`)].join("\n");
    })
    .join("\n\n");
}

function describeServer({ state, secrets, tenon }: Installed, paint: Paint): string {
  const notes = [
    ...(tenon ? ["served by Tenon"] : []),
    ...(secrets.length > 0 ? [`in plain text: ${secrets.map(cleanLine).join(", ")}`] : []),
  ];
  const aside = notes.length === 0 ? "" : `  ${paint("dim", notes.join("; "))}`;
  if (state === undefined) return `not started${aside}`;
  return `${state.starts ? `starts, ${state.tools} tool${state.tools === 1 ? "" : "s"}` : paint("red", `fails: ${state.why}`)}${aside}`;
}
