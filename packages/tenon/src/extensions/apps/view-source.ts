/** Makes the HTML of a view from what the server's author gave: a string, a file, a script to bundle, or a function. */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { ViewSource } from "../../session/tools/tool-ui.ts";

/** @throws TypeError if `source` cannot be the HTML of a view */
export function assertViewSource(tool: string, source: unknown): asserts source is ViewSource {
  const problem = problemOf(source);
  if (problem !== undefined) throw new TypeError(`The view of tool "${tool}" ${problem}`);
}

function problemOf(source: unknown): string | undefined {
  if (typeof source === "function") return undefined;
  if (typeof source === "string")
    return source.trimStart().startsWith("<") ? undefined : "must be HTML; for a file give its URL: new URL(…, import.meta.url)";
  const file: unknown = source instanceof URL ? source : Object(source)["bundle"];
  if (!(file instanceof URL)) return "must be HTML, the URL of a file, { bundle: URL } or a function";
  return file.protocol === "file:" ? undefined : "must be a file: URL; a view that is fetched is given as a function";
}

/** Returns a function that makes the HTML. @throws LimitExceededError (the function) if it is longer than `maxBytes` */
export function htmlOf(source: ViewSource, maxBytes: number): () => Promise<string> {
  const make = makerOf(source, maxBytes);
  return async () => {
    const html = await make();
    const { byteLength } = new TextEncoder().encode(html);
    if (byteLength > maxBytes) throw new LimitExceededError("maxHtmlBytes", maxBytes, byteLength);
    return html;
  };
}

function makerOf(source: ViewSource, maxBytes: number): () => string | Promise<string> {
  if (typeof source === "string") return () => source;
  if (typeof source === "function") return source;
  if (source instanceof URL) return async () => (await import("#view-files")).readViewFile(source, maxBytes);
  let bundled: Promise<string> | undefined;
  return () => {
    bundled ??= import("#view-files").then(({ bundleView }) => bundleView(source.bundle));
    bundled.catch(() => (bundled = undefined)); // the script may be mended
    return bundled;
  };
}
