/** `elicitInTerminal()`: a ready-made `onElicit` for programs that run in a terminal. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { ElicitHandler, ServerRequestContext } from "../../client/options.ts";
import { openBrowser } from "../login/open-browser.ts";
import { cleanLine, painterFor } from "./display.ts";
import { secretIn } from "./secrets.ts";
import type { QuestionScreen, TerminalQuestions } from "./terminal-questions.ts";

/** How {@link elicitInTerminal} shows questions and reads answers. */
export interface ElicitInTerminalOptions {
  /** The name under which the user knows the server. Default: the server's name in a group, else the name that the server gives itself. */
  server?: string;
  /**
   * Shows `label` and resolves with the typed line, or with undefined if the input has ended; rejects if the signal aborts. For programs
   * that read the terminal themselves. Default: reads stdin, with the label on stderr, if both are a terminal.
   */
  prompt?: (label: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Writes a line for the user. The text is safe for a terminal. Default: to stderr. */
  write?: (line: string) => void;
  /** Opens a page to which the user agreed. Default: the system's browser, as {@link openBrowser}. */
  open?: (url: URL) => void | Promise<void>;
}

const OPTIONS: OptionKeys<ElicitInTerminalOptions> = { server: 1, prompt: 1, write: 1, open: 1 };

/**
 * For `onElicit`: `connect(target, { onElicit: elicitInTerminal() })`. Asks one question at a time, with the name of the server that asks. A
 * form is filled in field by field and sent after a review; a page is opened after the user has seen its whole address and agreed. Without a
 * terminal the server gets an error. Security: text of the server cannot steer the terminal. A form that seems to ask for a secret, such as a
 * password, is declined, and the user sees why; this is a guess by words and no proof.
 * @throws TypeError for an unknown option
 */
export function elicitInTerminal(options: ElicitInTerminalOptions = {}): ElicitHandler {
  assertKnown("elicitInTerminal()", options, OPTIONS);
  const screen = screenOf(options);
  let questions: Promise<TerminalQuestions> | undefined;
  return async (params, context) => {
    const server = options.server ?? serverOf(context);
    const secret = params.mode === "url" ? undefined : secretIn(params);
    if (secret === undefined) return (await (questions ??= load(screen, options))).answerFor(server, params, context.signal);
    screen.note(`${cleanLine(server)} asks for what looks like a secret (${cleanLine(secret)}). The question was declined.`);
    return { action: "decline" };
  };
}

/** Loads what reads forms with the first question, because it needs a validator of JSON Schema. */
async function load(screen: QuestionScreen, { prompt, open = openBrowser }: ElicitInTerminalOptions): Promise<TerminalQuestions> {
  const { promptAtTerminal, TerminalQuestions } = await import("./terminal-questions.ts");
  return new TerminalQuestions(screen, prompt ?? promptAtTerminal(), open);
}

function screenOf({ write }: ElicitInTerminalOptions): QuestionScreen {
  if (write !== undefined) return { note: write, paintNote: (_style, text) => text };
  return { note: (line) => void process.stderr.write(`${line}\n`), paintNote: painterFor(process.stderr, process.env) };
}

/** A group says which of its servers asks; the name of a single server is what it claims. */
export function serverOf(context: ServerRequestContext & { readonly server?: string }): string {
  return context.server ?? context.session.serverInfo?.name ?? "The server";
}
