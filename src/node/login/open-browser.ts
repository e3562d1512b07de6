/**
 * Opens a page in the system's browser: one argument to one program, never through a shell (rules R17 and d.5.7).
 *
 * Only what is surely a web address gets there, as the URL parser writes it.
 */
import { isWindows, systemProgramPath } from "../windows.ts";

/** What opens a URL. Windows' PowerShell and `start` would read the URL as a program. */
function openerOf(platform: string): readonly [string, ...string[]] {
  if (isWindows(platform)) return [systemProgramPath("rundll32.exe"), "url.dll,FileProtocolHandler"];
  return [platform === "darwin" ? "open" : "xdg-open"];
}

/**
 * Resolves once the browser has been asked for.
 * @throws TypeError for a URL that is not http: or https:, or could be read as anything but a URL
 * @throws Error where the platform has no such program
 */
export async function openBrowser(url: URL): Promise<void> {
  const [command, ...args] = openerOf(process.platform);
  const { spawn } = await import("node:child_process");
  const child = spawn(command, [...args, safeHref(url)], { shell: false, detached: true, stdio: "ignore", windowsHide: true });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.unref();
}

/** @throws TypeError */
export function safeHref({ protocol, username, password, href }: URL): string {
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError("Only http: and https: pages are opened");
  if (username !== "" || password !== "") throw new TypeError("A page with a user name or password in its URL is not opened");
  if (!/^[\x21-\x7E]+$/.test(href) || /["'`<>\\^{|}]|%(?![0-9A-Fa-f]{2})/.test(href))
    throw new TypeError("A page with odd characters in its URL is not opened");
  return href;
}
