/**
 * Finds the server that was typed: by its position, by the words after `--`, or by its name in a configuration file
 * (`--config`). A server of a file brings its variables and headers; those that were typed replace them.
 */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { JsonObject } from "tenon";
import { cleanLine } from "tenon/internal";
import { Consent } from "../consent/consent.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, OptionValues } from "../invocation.ts";
import { configVariablesOf } from "../shell.ts";
import { didYouMean } from "../typing-mistakes.ts";
import { type ServerCommand, type ServerUrl, resolveServer, resolveWords } from "./target.ts";

export interface TypedServer {
  readonly server: ServerCommand | ServerUrl;
  readonly rest: readonly string[];
  /** The options, with what the configuration adds. */
  readonly values: OptionValues;
}

/** @param names the names of the other positions, in order @throws UsageError */
export async function serverOf(invocation: Invocation, names: readonly string[]): Promise<TypedServer> {
  const { values, positionals, words, shell } = invocation;
  if (values.config === undefined) return { ...splitPositionals(invocation, names), values };
  if (words !== undefined) throw new UsageError("A server is named with --config or after --, not both.");
  const servers = await serversIn(values.config, shell.cwd);
  const isNamed = positionals.length > names.length;
  const [name, ...rest] = isNamed ? positionals : [onlyNameOf(servers, values.config), ...positionals];
  const missing = names[rest.length];
  if (missing !== undefined) throw new UsageError(`The ${missing} is missing.`);
  if (rest.length > names.length) throw new UsageError(`${JSON.stringify(rest.at(-1))} is one word too many.`);
  if (!Object.hasOwn(servers, name!))
    throw new UsageError(
      `${values.config} has no server ${JSON.stringify(name)}.${didYouMean(name!, Object.keys(servers))}${listed(servers)}`,
    );
  return { ...(await configured(invocation, values.config, name!)), rest };
}

/** The entries of a configuration file, unread. @throws UsageError */
export async function serversIn(path: string, cwd: string): Promise<JsonObject> {
  const { parseConfigText, serversOf } = await import("tenon/internal");
  const config = isToml(path) ? await tomlIn(path, cwd) : undefined;
  const text = config === undefined ? await textIn(path, cwd) : "";
  return asUsage(() => serversOf(config ?? parseConfigText(text, path), path)[1]);
}

async function textIn(path: string, cwd: string): Promise<string> {
  return readFile(resolve(cwd, path), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${cause.code ?? cause.message}.`, { cause });
  });
}

/** Codex keeps its servers in TOML. */
function isToml(path: string): boolean {
  return path.toLowerCase().endsWith(".toml");
}

/** @throws UsageError if the file cannot be read, or is not TOML */
async function tomlIn(path: string, cwd: string): Promise<object> {
  const text = await textIn(path, cwd);
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const line = cause instanceof TomlError ? ` (line ${cause.line})` : "";
    throw new UsageError(`${path} is not valid TOML${line}.`, { cause }); // the parser's message quotes the file, which may hold secrets
  }
}

/** The name to use without one. @throws UsageError */
function onlyNameOf(servers: JsonObject, path: string): string {
  const [only, second] = Object.keys(servers);
  if (only === undefined) throw new UsageError(`${path} has no servers. Add one to its "mcpServers".`);
  if (second !== undefined) throw new UsageError(`${path} has several servers: name one of them after it.${listed(servers)}`);
  return only;
}

function listed(servers: JsonObject): string {
  const names = Object.keys(servers).map((name) => JSON.stringify(name));
  return ` It has ${names.length === 0 ? "no servers" : names.join(", ")}.`;
}

async function configured(
  invocation: Pick<Invocation, "values" | "shell" | "terminal" | "signal">,
  path: string,
  name: string,
): Promise<Omit<TypedServer, "rest">> {
  const { values, shell, terminal } = invocation;
  const { readConfig } = await import("tenon/internal");
  const consent = new Consent(invocation).asking(path, invocation);
  const onWarning = (warning: string): void => terminal.note(cleanLine(warning));
  const reader = { only: name, cwd: shell.cwd, consent };
  const options = { onWarning, ...configVariablesOf(shell) };
  const reading = isToml(path)
    ? readConfig(await tomlIn(path, shell.cwd), { ...options, folder: dirname(resolve(shell.cwd, path)) }, { ...reader, file: path })
    : readConfig(path, options, reader);
  const read = await reading.catch((cause: unknown) =>
    asUsage(() => {
      throw cause;
    }),
  );
  const config = read[name]!; // what cannot be read is a problem
  if (config.type !== "stdio") {
    const header = Object.entries(config.headers ?? {}).map(([field, value]) => `${field}: ${value}`);
    return { server: { url: String(config.url) }, values: { ...values, ...joined("header", header, values.header) } };
  }
  const env = Object.entries(config.env ?? {}).map(([variable, value]) => `${variable}=${value}`);
  const { command, args = [], cwd } = config;
  return {
    server: { command, args, ...(cwd !== undefined && { cwd: typeof cwd === "string" ? resolve(shell.cwd, cwd) : cwd }) },
    values: { ...values, ...joined("env", env, values.env) },
  };
}

/** What was typed comes last, so that it replaces what the file says. */
function joined(option: "env" | "header", ofFile: readonly string[], typed: readonly string[] = []): OptionValues {
  const all = [...ofFile, ...typed];
  return all.length === 0 ? {} : { [option]: all };
}

/** A mistake in a configuration is a mistake of the user. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ServerConfigError") throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

/** Splits the positions into the server and the others. @throws UsageError if one is missing or surplus */
function splitPositionals(
  { positionals, words, shell }: Pick<Invocation, "positionals" | "words" | "shell">,
  names: readonly string[],
): { server: ServerCommand | ServerUrl; rest: readonly string[] } {
  const places = words === undefined ? ["server", ...names] : names;
  const missing = places[positionals.length];
  if (missing !== undefined) {
    const hint = missing === "server" ? "" : ` See what there is: tenon list ${positionals[0] ?? `-- ${words?.join(" ")}`}`;
    throw new UsageError(`The ${missing} is missing.${hint}`);
  }
  if (positionals.length > places.length) {
    const surplus = positionals.slice(places.length);
    throw new UsageError(
      names.length > 0 && surplus.every((word) => /^[^=\s]+=/.test(word))
        ? `Arguments are written with --arg: ${surplus.map((word) => `--arg ${word}`).join(" ")}`
        : `${JSON.stringify(surplus[0])} is one word too many. A command of several words belongs in quotes or after --.`,
    );
  }
  if (words !== undefined) return { server: resolveWords(words, shell), rest: positionals };
  return { server: resolveServer(positionals[0]!, shell), rest: positionals.slice(1) };
}
