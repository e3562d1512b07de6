/** The work of `tenon install` and `tenon uninstall`: shows what changes, asks, and writes. */
import { basename } from "node:path";
import { UsageError } from "../failure.ts";
import { timeoutOf, type Invocation, type Outcome } from "../invocation.ts";
import { confirm } from "../terminal/confirm.ts";
import { type Paint, cleanLine } from "tenon/internal";
import { changeFile, HostFileError, serversOf, wouldChange, type FileChange } from "./config-file.ts";
import { entryText, plainSecretsOf, withoutSecrets } from "./entry-text.ts";
import { toServerName } from "tenon/internal";
import { assertServerName, toEntry } from "./entry.ts";
import { serverFor, typedServerOf, type TypedServer } from "./host-server.ts";
import { fileOf, type Host, type Scope } from "./host.ts";
import { HOSTS } from "./known-hosts.ts";
import { hostsOf, scopeOf, machineOf } from "./typed-hosts.ts";
import type { Shell } from "../shell.ts";
import { tryEntry } from "./try-entry.ts";

/** Milliseconds that a server gets to start and list its tools. */
const CHECK_TIMEOUT = 30_000;

interface Done {
  readonly host: string;
  readonly file: string;
  readonly name: string;
  readonly entry: unknown;
  readonly changed: boolean;
  /** The copy of the file as it was. */
  readonly copy?: string;
}

export async function install(invocation: Invocation): Promise<Outcome> {
  const { values, shell } = invocation;
  const scope = scopeOf(values);
  const hosts = hostsOf(values);
  if (hosts.length === 0) throw new UsageError(`Name a host with --host: ${[...HOSTS.keys()].join(", ")}.`);
  const typed = typedServerOf(invocation);
  if (values.name !== undefined) assertServerName(values.name);
  const entries = hosts.map((host) => ({ host, entry: toEntry(host, serverFor(host, typed, scope, shell)) }));
  const found = values["no-check"] === true ? undefined : await check(entries, scope, invocation);
  const name = values.name ?? toServerName(found ?? nameOf(typed));
  if (values.print === true) return printed(name, entries);
  const changes = entries.map(({ host, entry }) => ({ host, name, entry, file: fileIn(host, scope, shell) }));
  return apply(changes, invocation);
}

export async function uninstall(invocation: Invocation): Promise<Outcome> {
  const { positionals, values, shell } = invocation;
  const [name, surplus] = positionals;
  if (name === undefined) throw new UsageError('The name is missing. See what there is: "tenon hosts".');
  if (surplus !== undefined) throw new UsageError(`${JSON.stringify(surplus)} is one word too many.`);
  assertServerName(name);
  const scope = scopeOf(values);
  const typed = hostsOf(values);
  const changes: FileChange[] = [];
  for (const host of typed.length > 0 ? typed : HOSTS.values()) {
    const file = fileOf(host, scope, machineOf(shell), shell.cwd);
    if (file !== undefined && (await serversOf(host, file)).has(name)) changes.push({ host, name, file, entry: undefined });
  }
  if (changes.length === 0) throw new UsageError(`No host has a server ${JSON.stringify(name)} there. See what there is: "tenon hosts".`);
  return apply(changes, invocation);
}

/** Starts every entry as its host would. Returns what the server calls itself. @throws HostFileError if one does not start */
async function check(
  entries: readonly { host: Host; entry: unknown }[],
  scope: Scope,
  invocation: Invocation,
): Promise<string | undefined> {
  const { shell, terminal, signal, values } = invocation;
  const options = {
    machine: machineOf(shell),
    folder: scope === "project" ? shell.cwd : undefined,
    timeout: timeoutOf(values) ?? CHECK_TIMEOUT,
    signal,
  };
  let name: string | undefined;
  for (const { host, entry } of entries) {
    terminal.activity(`Starting it as ${host.name} would ...`);
    const state = await tryEntry(host, entry, options);
    if (!state.starts)
      throw new HostFileError(
        `It does not start as ${host.name} would start it, and nothing was written: ${state.why} (--no-check leaves this out.)`,
      );
    name = state.server ?? name;
  }
  terminal.clearProgress();
  return name;
}

/** Tries all changes before the first is written, so that a broken file stops them all. */
async function apply(changes: readonly FileChange[], invocation: Invocation): Promise<Outcome> {
  const { terminal } = invocation;
  const shown: { change: FileChange; changed: boolean }[] = [];
  for (const change of changes) shown.push({ change, changed: await wouldChange(change) });
  const done: Done[] = [];
  for (const { change, changed } of shown) {
    const { host, file, name, entry } = change;
    const base = { host: host.id, file, name, entry: withoutSecrets(entry) };
    if (changed) terminal.note(await describeChange(change, terminal.paintNote));
    const agreed = changed && (await confirm(`Write this to ${file}?`, invocation));
    const copy = agreed ? await changeFile(change) : undefined;
    done.push({ ...base, changed: agreed, ...(copy !== undefined && { copy }) });
  }
  return { json: done, text: (paint) => done.map((one) => describeDone(one, paint)).join("\n") };
}

async function describeChange({ host, file, name, entry }: FileChange, paint: Paint): Promise<string> {
  const old = (await serversOf(host, file)).get(name);
  const lines = (value: unknown, sign: string): string[] =>
    value === undefined
      ? []
      : entryText(host, name, withoutSecrets(value))
          .split("\n")
          .map((line) => `${sign} ${line}`);
  const secrets = entry === undefined ? [] : plainSecretsOf(entry);
  return [
    paint("bold", `${host.name}: ${file}`),
    ...lines(old, "-"),
    ...lines(entry, "+"),
    paint("dim", "Everything else in the file stays as it is."),
    ...(secrets.length > 0 ? [paint("yellow", `In plain text in this file: ${secrets.join(", ")}`)] : []),
    ...(host.warning === undefined || !file.endsWith(".claude.json") ? [] : [paint("yellow", host.warning)]),
  ].join("\n");
}

function describeDone({ host, file, name, entry, changed, copy }: Done, paint: Paint): string {
  const known = HOSTS.get(host)!;
  const what = !changed ? "not changed" : entry === undefined ? "removed from" : "installed in";
  if (!changed) return `${name}: ${cleanLine(file)} ${what}`;
  const note = copy === undefined ? "" : ` ${paint("dim", `(a copy: ${copy})`)}`;
  const effect = entry === undefined ? `It may run on until ${known.name} is started again.` : known.effect;
  return `${name}: ${what} ${known.name}, ${cleanLine(file)}${note}\n  ${effect}`;
}

function printed(name: string, entries: readonly { host: Host; entry: unknown }[]): Outcome {
  const json = entries.map(({ host, entry }) => ({ host: host.id, name, entry }));
  return { json, text: () => entries.map(({ host, entry }) => entryText(host, name, entry)).join("\n\n") };
}

function fileIn(host: Host, scope: Scope, shell: Shell): string {
  const file = fileOf(host, scope, machineOf(shell), shell.cwd);
  if (file === undefined) throw new UsageError(`${host.name} has no file in a project: leave out --scope project.`);
  return file;
}

/** A name for a server that was not started: its file's, its package's or its host's. */
function nameOf({ target }: TypedServer): string {
  if ("url" in target) return new URL(target.url).hostname;
  const word = [target.command, ...target.args].findLast((part) => part !== "--" && !part.startsWith("-")) ?? "server";
  return basename(word).replace(/\.[mc]?[jt]s$/, "");
}
