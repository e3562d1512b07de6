/**
 * Opens a page in the system's browser. Security: it passes one argument to one program, never through a shell, and only a
 * valid web address.
 */
import type { ChildProcess } from "node:child_process";
import { isWindows, systemProgramPath } from "../windows.ts";

/** Milliseconds in which an opening program says that it cannot. One that goes on is the browser. */
const REFUSAL_TIME = 1_000;

/** The program that opens a URL. Windows' PowerShell and `start` would interpret the URL as a command. */
function openerOf(platform: string): readonly [string, ...string[]] {
  if (isWindows(platform)) return [systemProgramPath("rundll32.exe"), "url.dll,FileProtocolHandler"];
  return [platform === "darwin" ? "open" : "xdg-open"];
}

/**
 * Opens a page in the system's browser. Resolves once the opening program has ended, or has run for a second.
 * @throws TypeError if the URL is not http: or https:, or could be read as something else than a URL
 * @throws Error if the platform has no program that opens URLs, or this program says that it opened none
 */
export function openBrowser(url: URL): Promise<void> {
  return openBrowserWith(process.env, url);
}

/** The same with an environment, by whose `PATH` the program is found, too. */
export async function openBrowserWith(env: Readonly<Record<string, string | undefined>>, url: URL): Promise<void> {
  const [command, ...args] = openerOf(process.platform);
  const { spawn } = await import("node:child_process");
  const child = spawn(command, [...args, safeHref(url)], { env, shell: false, detached: true, stdio: "ignore", windowsHide: true });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
  if (!isWindows()) await refusalOf(child, command); // rundll32.exe ends with any number
}

/** @throws Error if the program ends soon, and with an error, as on a machine without a screen */
function refusalOf(child: ChildProcess, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, REFUSAL_TIME);
    child.once("exit", (code) => {
      clearTimeout(timer);
      if (code === 0 || code === null) resolve();
      else reject(new Error(`${command} opened no page, and ended with ${code}`));
    });
  });
}

/** @throws TypeError */
export function safeHref({ protocol, username, password, href }: URL): string {
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError("Only http: and https: pages are opened");
  if (username !== "" || password !== "") throw new TypeError("A page with a user name or password in its URL is not opened");
  if (!/^[\x21-\x7E]+$/.test(href) || /["'`<>\\^{|}]|%(?![0-9A-Fa-f]{2})/.test(href))
    throw new TypeError("A page with odd characters in its URL is not opened");
  return href;
}
