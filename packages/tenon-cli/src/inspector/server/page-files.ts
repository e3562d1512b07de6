/** The files of the page, which the build made, and the headers that every response has. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The only files there are. No part of a request becomes a path. */
const FILES: ReadonlyMap<string, readonly [name: string, type: string]> = new Map([
  ["/", ["index.html", "text/html; charset=utf-8"]],
  ["/page.js", ["page.js", "text/javascript; charset=utf-8"]],
  ["/page.css", ["page.css", "text/css; charset=utf-8"]],
]);

/**
 * Security: only scripts and styles of this origin run; the page cannot be framed, sends no form, and loads nothing from elsewhere.
 * `trusted-types 'none'` makes the browser refuse every conversion of text to markup or script.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of every response. @param sandbox the origin of the sandbox page of views, which is the only page that may be in a frame */
export function headersFor(sandbox: string): Readonly<Record<string, string>> {
  return { ...HEADERS, "Content-Security-Policy": `${POLICY}; frame-src ${sandbox}` };
}

const HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), clipboard-write=(self)",
  "Cache-Control": "no-store",
};

/** Whether the path is the document itself, which users open by its address. */
export function isDocument(path: string): boolean {
  return path === "/";
}

/** A file of the page; undefined if there is no such file. @throws Error if the package was not built */
export async function pageFile(folder: string, path: string): Promise<{ type: string; bytes: Uint8Array } | undefined> {
  const file = FILES.get(path);
  if (file === undefined) return undefined;
  const [name, type] = file;
  return { type, bytes: await readFile(join(folder, name)) };
}
