/**
 * Asks the user the server's questions at the terminal: a form is filled in and reviewed; a page is shown and never opened.
 *
 * It asks one question at a time, on stderr, because stdout is for the result. Without a terminal it refuses the question,
 * and tells both the user and the server why.
 */
import { createInterface } from "node:readline/promises";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { ServerRequestContext } from "../../client/options.ts";
import { clean, cleanLine } from "./display.ts";
import { labelOf, readField, type FieldValue } from "./form.ts";
import type { Terminal } from "./terminal.ts";

/** Shows `label` and resolves with the typed line; undefined if the input has ended. */
export type PromptLine = (label: string, signal: AbortSignal) => Promise<string | undefined>;

export class TerminalQuestions {
  /** The name of the asking server, which is shown with every question. */
  server = "The server";
  readonly #terminal: Terminal;
  readonly #prompt: PromptLine | undefined;
  /** Settles when the last question is answered. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param prompt undefined if there is no user to ask */
  constructor(terminal: Terminal, prompt: PromptLine | undefined = promptAtTerminal()) {
    this.#terminal = terminal;
    this.#prompt = prompt;
  }

  /** Answers one question, after the earlier ones. */
  readonly answer = (params: ElicitRequestParams, { signal }: ServerRequestContext): Promise<ElicitResult> => {
    const answered = this.#last.then(() => this.#ask(params, signal));
    this.#last = answered.catch(() => undefined);
    return answered;
  };

  async #ask(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    signal.throwIfAborted();
    this.#terminal.note(`${this.#terminal.paintNote("bold", `${cleanLine(this.server)} asks:`)} ${clean(params.message)}`);
    if (this.#prompt === undefined) {
      this.#terminal.note("There is no terminal to answer at: run the command in one.");
      throw new McpError(ErrorCode.InvalidRequest, "There is no user to ask: the command does not run in a terminal");
    }
    const prompt = (label: string): Promise<string | undefined> => this.#prompt!(label, signal);
    return params.mode === "url" ? askToVisit(params, prompt, this.#terminal) : askForm(params, prompt, this.#terminal);
  }
}

type AskLine = (label: string) => Promise<string | undefined>;

async function askForm({ requestedSchema }: ElicitRequestFormParams, prompt: AskLine, terminal: Terminal): Promise<ElicitResult> {
  const { properties, required = [] } = requestedSchema;
  for (;;) {
    const content: { [name: string]: FieldValue } = {};
    for (const [name, field] of Object.entries(properties)) {
      const value = await askField({ name, field, required: required.includes(name) }, prompt, terminal);
      if (value === undefined) return { action: "cancel" };
      if (value !== "") content[name] = value.value;
    }
    const action = await askChoice(
      Object.keys(properties).length > 0 ? "Send this? [y]es, [n]o, [e]dit, [c]ancel: " : "[y]es, [n]o, [c]ancel: ",
      prompt,
    );
    if (action === "accept") return { action, content };
    if (action !== "edit") return { action };
  }
}

interface FormField {
  readonly name: string;
  readonly field: ElicitRequestFormParams["requestedSchema"]["properties"][string];
  readonly required: boolean;
}

/** The value of a field; `""` if it is left out, undefined if the input has ended. */
async function askField(
  { name, field, required }: FormField,
  prompt: AskLine,
  terminal: Terminal,
): Promise<{ value: FieldValue } | "" | undefined> {
  for (;;) {
    const line = await prompt(labelOf(name, field, required));
    if (line === undefined) return undefined;
    const reading = await readField(line, field, required);
    if ("problem" in reading) terminal.note(terminal.paintNote("yellow", cleanLine(reading.problem)));
    else return reading.value === undefined ? "" : { value: reading.value };
  }
}

/**
 * Shows the whole address, and its host separately. Security: the user opens the page, never the command (MCP 2025-11-25,
 * Elicitation, Safe URL handling).
 */
async function askToVisit({ url }: ElicitRequestURLParams, prompt: AskLine, terminal: Terminal): Promise<ElicitResult> {
  const host = URL.canParse(url) ? new URL(url).host : "no address";
  terminal.note(`To open in your browser: ${cleanLine(url)}`);
  terminal.note(
    `It leads to ${terminal.paintNote("bold", cleanLine(host))}.${host.includes("xn--") ? " Its name has letters that may look like others." : ""}`,
  );
  const action = await askChoice("Do you open it? [y]es, [n]o, [c]ancel: ", prompt);
  return { action: action === "edit" ? "cancel" : action };
}

async function askChoice(label: string, prompt: AskLine): Promise<ElicitResult["action"] | "edit"> {
  for (;;) {
    const typed = (await prompt(label))?.trim().toLowerCase();
    if (typed === undefined) return "cancel";
    const action = CHOICES.get(typed);
    if (action !== undefined && (action !== "edit" || label.includes("[e]dit"))) return action;
  }
}
const CHOICES: ReadonlyMap<string, ElicitResult["action"] | "edit"> = new Map([
  ["y", "accept"],
  ["yes", "accept"],
  ["n", "decline"],
  ["no", "decline"],
  ["e", "edit"],
  ["edit", "edit"],
  ["c", "cancel"],
  ["cancel", "cancel"],
]);

/** Returns a function that reads lines, if both stdin and stderr are a terminal. */
export function promptAtTerminal(): PromptLine | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (label, signal) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    // Ctrl-C belongs to the command, not to the line.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    try {
      const line = await Promise.race([lines.question(label, { signal }), ended]);
      if (line === undefined) process.stderr.write("\n"); // ends the line of the label
      return line;
    } finally {
      lines.close();
    }
  };
}
