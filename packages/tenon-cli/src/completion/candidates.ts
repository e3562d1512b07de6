/**
 * What a shell offers for the word that is being typed: commands, options, and values that are known without asking a server.
 *
 * No server is started: a shell asks at every key.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import { LOGIN_GUIDES, PROVIDER_GUIDES, isJsonObject, parseConfigText } from "tenon/internal";
import { HOSTS } from "../hosts/known-hosts.ts";
import type { Command } from "../invocation.ts";
import { SHELLS } from "./completion.ts";

/**
 * @param words the words after `tenon`; the last one is being typed, and may be empty
 * @param cwd the folder at which relative paths begin
 */
export function candidatesFor(words: readonly string[], commands: ReadonlyMap<string, Command>, cwd: string): readonly string[] {
  const typed = words.at(-1) ?? "";
  const [name, ...before] = words.slice(0, -1);
  return offered(name, before, { typed, commands, cwd }).filter((word) => word.startsWith(typed));
}

function offered(
  name: string | undefined,
  before: readonly string[],
  { typed, commands, cwd }: { typed: string; commands: ReadonlyMap<string, Command>; cwd: string },
): readonly string[] {
  if (name === undefined) return typed.startsWith("-") ? ["--help", "--version"] : [...commands.keys()];
  const command = commands.get(name);
  // The words after "--" belong to another command.
  if (command === undefined || before.includes("--")) return [];
  const values = valuesOf(before.at(-1), name);
  if (values !== undefined) return values;
  if (typed.startsWith("-")) return [...command.options, "help"].map((option) => `--${option}`);
  if (name === "completion") return SHELLS;
  const config = before[before.indexOf("--config") + 1];
  return before.includes("--config") && config !== undefined ? namesIn(resolve(cwd, config)) : [];
}

/** The values of an option; undefined if the word before is not one with known values. */
function valuesOf(option: string | undefined, command: string): readonly string[] | undefined {
  if (option === "--host") return [...HOSTS.keys()];
  if (option === "--provider") return [...Object.keys(PROVIDER_GUIDES), ...Object.keys(LOGIN_GUIDES)];
  if (option === "--revision") return SUPPORTED_PROTOCOL_VERSIONS;
  return option === "--scope" && command !== "login" ? ["user", "project"] : undefined;
}

/** The names of the servers in a configuration file; none if it cannot be read. */
function namesIn(path: string): readonly string[] {
  try {
    const config = parseConfigText(readFileSync(path, "utf8"), path);
    const servers = isJsonObject(config) ? (config["mcpServers"] ?? config["servers"]) : undefined;
    return isJsonObject(servers) ? Object.keys(servers).filter((name) => /^[\w.-]+$/.test(name)) : [];
  } catch {
    return [];
  }
}
