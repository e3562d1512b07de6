/** `elicitInBrowser()`: a ready-made `onElicit` for programs whose user has a browser on the same machine. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { ElicitHandler } from "../../client/options.ts";
import { openBrowser } from "../login/open-browser.ts";
import { cleanLine } from "./display.ts";
import { serverOf } from "./elicit-in-terminal.ts";
import { secretIn } from "./secrets.ts";

/** How {@link elicitInBrowser} shows questions. */
export interface ElicitInBrowserOptions {
  /** The name under which the user knows the server. Default: the server's name in a group, else the name that the server gives itself. */
  server?: string;
  /** The port of 127.0.0.1 that pages are served on. Default: a free one for each question. */
  port?: number;
  /** Opens a page: the question, and a page to which the user agreed. Default: the system's browser. */
  open?: (url: URL) => void | Promise<void>;
  /** Writes a line for the user: where the question is, in case no browser opens. Default: to stderr. */
  write?: (line: string) => void;
}

const OPTIONS: OptionKeys<ElicitInBrowserOptions> = { server: 1, port: 1, open: 1, write: 1 };

/**
 * For `onElicit`: `connect(target, { onElicit: elicitInBrowser() })`. Each question is a page on 127.0.0.1 that exists until it is answered or
 * its time is over, one at a time. A page of the server is opened after the user has seen its whole address and agreed.
 *
 * Security: the page has a random address, no scripts, and only text of the server; requests of other origins and hosts are refused. A form
 * that seems to ask for a secret, such as a password, is declined, and the user sees why; this is a guess by words and no proof.
 * @throws TypeError for an unknown option, RangeError for an invalid port
 */
export function elicitInBrowser(options: ElicitInBrowserOptions = {}): ElicitHandler {
  assertKnown("elicitInBrowser()", options, OPTIONS);
  const { port = 0, open = openBrowser, write = (line: string): void => void process.stderr.write(`${line}\n`) } = options;
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`Option "port" must be a port from 1 to 65535, not ${port}`);
  let last: Promise<unknown> = Promise.resolve();
  return async (params, context) => {
    const server = cleanLine(options.server ?? serverOf(context));
    const secret = params.mode === "url" ? undefined : secretIn(params);
    if (secret !== undefined) {
      write(`${server} asks for what looks like a secret (${cleanLine(secret)}). The question was declined.`);
      return { action: "decline" };
    }
    const answered = last.then(async () => {
      const { askOnPage } = await import("./question-page.ts");
      return askOnPage(server, params, { port, open, write, signal: context.signal });
    });
    last = answered.catch(() => undefined);
    return answered;
  };
}
