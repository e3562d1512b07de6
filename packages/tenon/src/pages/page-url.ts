/** The URL of the pages of an endpoint, as browsers reach them. */
import { isLoopbackName } from "../auth/url-policy.ts";

/** @param option its name, for the error @throws TypeError if it is not one that browsers may be sent to */
export function assertPageUrl(option: string, url: unknown): void {
  if (isPageUrl(url)) return;
  throw new TypeError(`Option "${option}" must be an https: URL with a path, without a query; http: on this machine only`);
}

function isPageUrl(text: unknown): boolean {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopbackName(hostname));
  return isSafe && pathname !== "/" && !pathname.endsWith("/") && search === "" && hash === "";
}

/** Whether a path belongs to the pages below a URL. */
export function isBelow(url: URL, path: string): boolean {
  return path === url.pathname || path.startsWith(`${url.pathname}/`);
}
