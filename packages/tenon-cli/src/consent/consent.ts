/**
 * The user's consent before an entry of a configuration is used: a file from elsewhere can name any command, and send any file and
 * variable of the user to any place.
 *
 * What the user agreed to is kept, as digests, in a file of the user. An entry that starts another command, or the same one in a file of another
 * folder, takes something else or sends it elsewhere is a new one. Nothing is read for an entry without consent.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  configDirectory,
  type EntryDemand,
  escapeInvisible,
  promptAtTerminal,
  cleanLine,
  type DemandedFile,
  isJsonObject,
} from "tenon/internal";
import { UsageError } from "../failure.ts";
import { confirm } from "../terminal/confirm.ts";
import type { Invocation } from "../invocation.ts";
import type { JsonObject } from "tenon";

/** Asks the user before anything is read for the servers. Resolves with the names of those that are left out. */
export type AskConsent = (demands: readonly EntryDemand[]) => Promise<ReadonlySet<string>>;

export class Consent {
  /** Where it is kept. Its folder exists. */
  readonly file: string;
  /** Whether `--yes` agrees to every entry, also of a file that changes later. */
  readonly #agreesToAll: boolean;

  constructor({ values, shell }: Pick<Invocation, "values" | "shell">) {
    const directory = configDirectory(shell);
    this.file = join(directory, "programs.json");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#agreesToAll = values.yes === true;
  }

  /**
   * Asks for all entries that are new at once. What it returns rejects with a UsageError if there is no terminal to ask at, or the user does
   * not agree: then nothing was read or started.
   */
  asking(file: string, invocation: Pick<Invocation, "shell" | "terminal" | "values" | "signal">): AskConsent {
    return async (demands) => {
      const unknown = this.#newOf(demands);
      if (unknown.length > 0 && !this.#agreesToAll) await ask(unknown, file, invocation);
      await this.#keep(unknown);
      return new Set();
    };
  }

  /** The servers that may not be used, without asking. @throws Error if it is the settings of the whole file */
  async refusedOf(demands: readonly EntryDemand[]): Promise<ReadonlySet<string>> {
    const unknown = this.#newOf(demands);
    if (this.#agreesToAll) {
      await this.#keep(unknown);
      return new Set();
    }
    return new Set(
      unknown.map(({ server }) => {
        if (server === undefined) throw new Error('its member "tenon" sends or writes something that you have not agreed to');
        return server;
      }),
    );
  }

  #newOf(demands: readonly EntryDemand[]): readonly EntryDemand[] {
    const known = new Set(this.#read());
    return demands.filter(({ digest }) => !known.has(digest));
  }

  #read(): readonly string[] {
    if (!existsSync(this.file)) return [];
    try {
      const { programs } = JSON.parse(readFileSync(this.file, "utf8")) as { programs?: unknown };
      return Array.isArray(programs) ? programs.filter((one) => typeof one === "string") : [];
    } catch {
      return []; // a file that is damaged agrees to nothing
    }
  }

  async #keep(demands: readonly EntryDemand[]): Promise<void> {
    if (demands.length === 0) return;
    const all = new Set([...this.#read(), ...demands.map(({ digest }) => digest)]);
    await writeFile(this.file, `${JSON.stringify({ programs: [...all] }, undefined, 2)}\n`, { mode: 0o600 });
  }
}

/** @throws UsageError without a yes */
async function ask(
  demands: readonly EntryDemand[],
  file: string,
  invocation: Pick<Invocation, "shell" | "terminal" | "values" | "signal">,
): Promise<void> {
  const { shell, terminal } = invocation;
  for (const line of demands.flatMap(demandLines)) terminal.note(line);
  const names = demands.map(({ server }) => (server === undefined ? "its settings" : escapeInvisible(JSON.stringify(server)))).join(", ");
  if (promptAtTerminal(shell) === undefined)
    throw new UsageError(
      `Nothing of ${file} was read or started, because you have not agreed to ${names} and there is no terminal to ask at: run "tenon gateway check ${file}" in one, or add --yes to agree.`,
    );
  if (!(await confirm(`Agree to this in ${file}, now and from now on?`, invocation))) throw new UsageError("Nothing was read or started.");
}

/** Most characters of one value: of a longer one both ends are shown. */
const MAX_SHOWN = 200;

/**
 * What an entry wants of the user's machine, in words. Every value that is written in it is shown, also what people do not see: it may decide
 * what code runs. What could read as a part of the sentence is in quotes.
 */
export function demandLines({ server, program, variables, files, written, origins }: EntryDemand): string[] {
  const name = server === undefined ? "The file itself" : quoted(server);
  const taken = [...variables.map((variable) => `\${${variable}}`), ...files.map(({ written }) => written)].map(word).join(", ");
  const sent = `${name} sends ${taken} to ${origins.length === 0 ? "a place that is not written" : origins.map(shown).join(", ")}`;
  const outside = files.filter(({ isOutside }) => isOutside);
  const line = (does: string, file: DemandedFile): string =>
    `${name} ${does} a file outside the folder of the configuration: ${word(file.written)} (${word(file.path)})`;
  return [
    ...(program === undefined ? [] : [`${name} would start: ${commandOf(program)}`]),
    ...(program === undefined && taken !== "" ? [sent] : []),
    ...outside.map((file) => line("reads", file)),
    ...written.map((file) => line("writes", file)),
  ].map((line) => cleanLine(escapeInvisible(line)));
}

/** One line, with nothing left out of the command: what is shown is what is run. */
function commandOf({ command, args, cwd, env, envFile }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(quoted);
  const variables = Object.entries(isJsonObject(env) ? env : {}).map(([name, value]) => `${quoted(name)}=${word(value)}`);
  const parts = [
    cwd === undefined ? "" : ` (in ${quoted(cwd)})`,
    variables.length === 0 ? "" : ` (variables: ${variables.join(", ")})`,
    envFile === undefined ? "" : ` (variables of the file ${quoted(envFile)})`,
  ];
  return words.join(" ") + parts.join("");
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[\w@%+=:,./~-]+$|^\$\{[^${}\n\r]*\}$/.test(text) ? text : JSON.stringify(text);
}

const word = (value: unknown): string => shown(quoted(value));

function shown(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  const half = MAX_SHOWN / 2;
  return `${text.slice(0, half)} … (${text.length - MAX_SHOWN} more) … ${text.slice(-half)}`;
}
