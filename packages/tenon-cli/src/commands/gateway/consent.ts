/**
 * The user's consent before a program of a configuration is started: a file from elsewhere can name any command.
 *
 * The programs that the user agreed to are kept, as digests, in a file of the user. A program with another command, other arguments,
 * another folder or other environment variables is a new one.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, cleanLine, configDirectory, promptAtTerminal } from "tenon/internal";
import type { ServerConfigs, StdioServerParameters } from "tenon/node";
import { UsageError } from "../../failure.ts";
import { confirm } from "../../terminal/confirm.ts";
import type { Invocation } from "../../invocation.ts";

/** Variables whose values are code, or where code is found. Other values may be secrets that change. */
const CODE_VARIABLES = /^(PATH|NODE_.*|LD_.*|DYLD_.*|PYTHON.*|RUBY.*|PERL.*|BASH_ENV|ENV|.*_OPTIONS|.*OPTS?)$/i;

/** A program that waits for the user's consent. */
interface NewProgram {
  readonly server: string;
  /** The command that is run, for the user to read. */
  readonly command: string;
  readonly digest: string;
}

export class Consent {
  /** Where the programs that the user agreed to are kept. Its folder exists. */
  readonly file: string;
  /** Whether `--yes` agrees to every program, also of a file that changes later. */
  readonly #agreesToAll: boolean;

  constructor({ values, shell }: Pick<Invocation, "values" | "shell">) {
    const directory = configDirectory(shell);
    this.file = join(directory, "programs.json");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#agreesToAll = values.yes === true;
  }

  /**
   * Asks for the programs that are new, all at once.
   * @throws UsageError if there is no terminal to ask at, or the user does not agree. Then no program was started
   */
  async assertFor(servers: ServerConfigs, file: string, invocation: Invocation): Promise<void> {
    const programs = this.#newPrograms(servers);
    if (programs.length === 0) return;
    const { shell, terminal } = invocation;
    if (!this.#agreesToAll) {
      for (const { server, command } of programs) terminal.note(`${cleanLine(server)} would start: ${command}`);
      if (promptAtTerminal(shell) === undefined)
        throw new UsageError(
          `No program of ${file} was started, because you have not agreed to ${named(programs)} and there is no terminal to ask at: run "tenon gateway check ${file}" in one, or add --yes to agree.`,
        );
      const isAgreed = await confirm(
        `Start ${programs.length === 1 ? "this program" : "these programs"}, now and from now on?`,
        invocation,
      );
      if (!isAgreed) throw new UsageError("Nothing was started.");
    }
    await this.#keep(programs);
  }

  /** The servers that may be started, without asking. `refused` are the names of the others. */
  async allowed(servers: ServerConfigs): Promise<{ readonly servers: ServerConfigs; readonly refused: readonly string[] }> {
    const programs = this.#newPrograms(servers);
    if (this.#agreesToAll) await this.#keep(programs);
    const refused = new Set(this.#agreesToAll ? [] : programs.map(({ server }) => server));
    return { servers: Object.fromEntries(Object.entries(servers).filter(([name]) => !refused.has(name))), refused: [...refused] };
  }

  #newPrograms(servers: ServerConfigs): NewProgram[] {
    const known = new Set(this.#read());
    return Object.entries(servers).flatMap(([server, entry]) => {
      if (!("command" in entry)) return [];
      const digest = digestOf(entry);
      return known.has(digest) ? [] : [{ server, digest, command: commandOf(entry) }];
    });
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

  async #keep(programs: readonly NewProgram[]): Promise<void> {
    if (programs.length === 0) return;
    const all = new Set([...this.#read(), ...programs.map(({ digest }) => digest)]);
    await writeFile(this.file, `${JSON.stringify({ programs: [...all] }, undefined, 2)}\n`, { mode: 0o600 });
  }
}

function digestOf({ command, args = [], cwd, env = {} }: StdioServerParameters): string {
  const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, CODE_VARIABLES.test(name) ? value : ""]));
  return createHash("sha256")
    .update(canonicalJson({ command, args, cwd: String(cwd ?? ""), env: variables }))
    .digest("hex");
}

/** One line, with nothing left out: what is shown is what is run. */
function commandOf({ command, args = [], cwd, env = {} }: StdioServerParameters): string {
  const words = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  const names = Object.keys(env);
  const variables = names.length === 0 ? "" : ` (variables: ${names.join(", ")})`;
  return cleanLine(`${words.join(" ")}${cwd === undefined ? "" : ` (in ${String(cwd)})`}${variables}`);
}

function named(programs: readonly NewProgram[]): string {
  return programs.map(({ server }) => JSON.stringify(server)).join(", ");
}
