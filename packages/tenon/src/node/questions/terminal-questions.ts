/**
 * Asks the user the server's questions at the terminal: a form is filled in and reviewed; a page is shown, and opened only by the
 * option `open` after the user agreed.
 *
 * It asks one question at a time, on stderr, because stdout is for the result. Without a terminal it refuses the question,
 * and tells both the user and the server why.
 */
import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitRequestURLParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { ServerRequestContext } from "../../client/options.ts";
import { clean, cleanLine, type Paint } from "./display.ts";
import { labelOf, readField, type FieldValue } from "./form.ts";

/** Where questions are shown: the stream beside the results. */
export interface QuestionScreen {
  note(line: string): void;
  readonly paintNote: Paint;
}

/** Shows `label` and resolves with the typed line; undefined if the input has ended. */
export type PromptLine = (label: string, signal: AbortSignal) => Promise<string | undefined>;

export type OpenPage = (url: URL) => MaybePromise<void>;

export class TerminalQuestions {
  /** The name of the asking server, which is shown with every question. */
  server = "The server";
  readonly #terminal: QuestionScreen;
  readonly #prompt: PromptLine | undefined;
  readonly #open: OpenPage | undefined;
  /** Settles when the last question is answered. */
  #last: Promise<unknown> = Promise.resolve();

  /**
   * @param prompt `promptAtTerminal()`; undefined if there is no user to ask
   * @param open opens a page to which the user agreed; undefined: the user opens it
   */
  constructor(terminal: QuestionScreen, prompt: PromptLine | undefined, open?: OpenPage) {
    this.#terminal = terminal;
    this.#open = open;
    this.#prompt = prompt;
  }

  /** Answers one question, after the earlier ones. */
  readonly answer = (params: ElicitRequestParams, { signal }: ServerRequestContext): Promise<ElicitResult> =>
    this.answerFor(this.server, params, signal);

  /** Answers one question of that server, after the earlier ones. */
  answerFor(server: string, params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const answered = this.#last.then(() => this.#ask(server, params, signal));
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #ask(server: string, params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    signal.throwIfAborted();
    this.#terminal.note(`${this.#terminal.paintNote("bold", `${cleanLine(server)} asks:`)} ${clean(params.message)}`);
    if (this.#prompt === undefined) {
      this.#terminal.note("There is no terminal to answer at: run the command in one.");
      throw new McpError(ErrorCode.InvalidRequest, "There is no user to ask: the command does not run in a terminal");
    }
    const prompt = (label: string): Promise<string | undefined> => this.#prompt!(label, signal);
    return params.mode === "url" ? askToVisit(params, prompt, this.#terminal, this.#open) : askForm(params, prompt, this.#terminal);
  }
}

type AskLine = (label: string) => Promise<string | undefined>;

async function askForm({ requestedSchema }: ElicitRequestFormParams, prompt: AskLine, terminal: QuestionScreen): Promise<ElicitResult> {
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
  terminal: QuestionScreen,
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
 * Shows the whole address, and its host separately. Security: nothing is opened before the user agreed (MCP 2025-11-25,
 * Elicitation, Safe URL handling).
 */
async function askToVisit(
  { url }: ElicitRequestURLParams,
  prompt: AskLine,
  terminal: QuestionScreen,
  open: OpenPage | undefined,
): Promise<ElicitResult> {
  const host = URL.canParse(url) ? new URL(url).host : "no address";
  terminal.note(`To open in your browser: ${cleanLine(url)}`);
  terminal.note(
    `It leads to ${terminal.paintNote("bold", cleanLine(host))}.${host.includes("xn--") ? " Its name has letters that may look like others." : ""}`,
  );
  const label = open === undefined ? "Do you open it?" : "Shall it be opened?";
  const action = await askChoice(`${label} [y]es, [n]o, [c]ancel: `, prompt);
  if (action === "edit") return { action: "cancel" };
  if (action === "accept") await openPage(url, terminal, open);
  return { action };
}

/** A page that cannot be opened from here can be opened by the user, who sees its address. */
async function openPage(url: string, terminal: QuestionScreen, open: OpenPage | undefined): Promise<void> {
  try {
    await open?.(new URL(url));
  } catch (error) {
    terminal.note(`It cannot be opened from here (${cleanLine(String(error))}): copy the address into your browser.`);
  }
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

export interface QuestionStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Returns a function that reads lines, if both streams are a terminal. Default: the streams of this process. */
export function promptAtTerminal({ stdin, stderr }: QuestionStreams = process): PromptLine | undefined {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  return async (label, signal) => {
    const lines = createInterface({ input: stdin, output: stderr });
    // Ctrl-C belongs to the command, not to the line.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
    try {
      const line = await Promise.race([lines.question(label, { signal }), ended]);
      if (line === undefined) stderr.write("\n"); // ends the line of the label
      return line;
    } finally {
      lines.close();
    }
  };
}
