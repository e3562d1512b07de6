/** What a new project is to be, from options or by asking. */
import { basename, resolve } from "node:path";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { assertTemplate } from "./templates.ts";
import { type PromptLine, promptAtTerminal } from "tenon/internal";
import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import type { Shell } from "../shell.ts";

export const TRANSPORTS = ["stdio", "http", "both"] as const;
export const SCHEMAS = ["zod", "valibot", "json"] as const;

export interface ProjectChoice {
  readonly folder: string;
  readonly name: string;
  /** What hosts show of the server. */
  readonly description: string;
  /** A name, perhaps with an address: `Ada <ada@example.com>`. */
  readonly author: string;
  readonly transport: (typeof TRANSPORTS)[number];
  readonly schema: (typeof SCHEMAS)[number];
  readonly tests: boolean;
  readonly docker: boolean;
  /** Where it is hosted: a name of a template. Undefined: nowhere yet. */
  readonly template: string | undefined;
  /** Whether a workflow checks and publishes it. */
  readonly ci: boolean;
}

/** Asks for what no option says, if there is a terminal and no `--yes`; takes the defaults otherwise. @throws UsageError */
export async function projectChoiceOf({ positionals: [typed = ".", surplus], values, shell, signal }: Invocation): Promise<ProjectChoice> {
  if (surplus !== undefined) throw new UsageError(`${JSON.stringify(surplus)} is one word too many.`);
  const { template } = values;
  if (template !== undefined) {
    assertTemplate(template);
    const [needless] = (["docker", "transport"] as const).filter((option) => values[option] !== undefined);
    if (needless !== undefined) throw new UsageError(`--${needless} says what --template ${template} says already: leave it out.`);
  }
  const prompt = values.yes === true ? undefined : promptAtTerminal(shell);
  const folder = resolve(shell.cwd, typed);
  const asker = new Asker(prompt, signal);
  const name = await asker.text("Name of the server", values.name, packageName(basename(folder)));
  if (packageName(name) !== name)
    throw new UsageError(`${JSON.stringify(name)} cannot be the name of a package: use a-z, 0-9, "-", "." and "_".`);
  return {
    folder,
    name,
    description: filled("description", await asker.text("Description", values.description, "An MCP server")),
    author: filled("author", await asker.text("Author", values.author, await usualAuthor(name, shell))),
    transport: template !== undefined ? "http" : await asker.choice("Transport", "transport", values.transport, TRANSPORTS),
    schema: await asker.choice("Schemas", "schema", values.schema, SCHEMAS),
    tests: values["no-tests"] === true ? false : await asker.yes("With a test?", true),
    docker: template === undefined && (values.docker === true || (await asker.yes("With a Dockerfile?", false))),
    template,
    ci: values.ci === true,
  };
}

function filled(option: string, text: string): string {
  if (text.trim() === "") throw new UsageError(`--${option} must not be empty: hosts show it.`);
  return text.trim();
}

function packageName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "")
    .slice(0, 64);
  return name === "" ? "mcp-server" : name;
}

class Asker {
  readonly #prompt: PromptLine | undefined;
  readonly #signal: AbortSignal;

  constructor(prompt: PromptLine | undefined, signal: AbortSignal) {
    this.#prompt = prompt;
    this.#signal = signal;
  }

  async text(label: string, typed: string | undefined, usual: string): Promise<string> {
    if (typed !== undefined || this.#prompt === undefined) return typed ?? usual;
    return (await this.#ask(`${label} [${usual}]: `)) || usual;
  }

  async choice<T extends string>(label: string, option: string, typed: string | undefined, choices: readonly [T, ...T[]]): Promise<T> {
    const isChoice = (text: string): text is T => (choices as readonly string[]).includes(text);
    if (typed !== undefined && !isChoice(typed))
      throw new UsageError(`--${option} must be one of ${choices.join(", ")}, not ${JSON.stringify(typed)}.`);
    if (typed !== undefined || this.#prompt === undefined) return typed ?? choices[0];
    for (;;) {
      const answer = (await this.#ask(`${label} (${choices.join(", ")}) [${choices[0]}]: `)) || choices[0];
      if (isChoice(answer)) return answer;
    }
  }

  async yes(label: string, usual: boolean): Promise<boolean> {
    if (this.#prompt === undefined) return usual;
    const answer = (await this.#ask(`${label} [${usual ? "Y/n" : "y/N"}]: `)).toLowerCase();
    return answer === "" ? usual : answer.startsWith("y");
  }

  /** @throws UsageError if the input has ended */
  async #ask(label: string): Promise<string> {
    const line = await this.#prompt!(label, this.#signal);
    this.#signal.throwIfAborted();
    if (line === undefined) throw new UsageError("Nothing was written.");
    return line.trim();
  }
}

/** Milliseconds for git to print one setting. */
const GIT_MS = 2_000;

/** A name only, because an e-mail address is for the author to publish: what npm is set to, the name that commits have, or the user's name on this machine. */
async function usualAuthor(server: string, shell: Pick<Shell, "cwd" | "env">): Promise<string> {
  const ofNpm = shell.env["npm_config_init_author_name"]?.trim();
  return ofNpm || (await nameInGit(shell)) || userName() || `The authors of ${server}`;
}

/** Undefined without git, or without a name in its settings. */
function nameInGit({ cwd, env }: Pick<Shell, "cwd" | "env">): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("git", ["config", "user.name"], { cwd, env, timeout: GIT_MS }, (error, stdout) => resolve(error ? undefined : stdout.trim()));
  });
}

/** Undefined if the user has no entry on this machine, as in some containers. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
