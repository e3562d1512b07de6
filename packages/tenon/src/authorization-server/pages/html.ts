/**
 * Writes pages to a user, and reads their forms.
 *
 * Security: text of clients is escaped, and cleaned of characters that hide or reorder text.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { escapeHtml, htmlPage, type HtmlPage } from "../../base/text/html-page.ts";
import { cleanLine, shorten } from "../../node/questions/display.ts";

/** Bytes of a form. */
const MAX_BYTES = 8_192;

/** A page with one sentence, after which nothing comes here. */
export function messagePage(title: string, text: string): HtmlPage {
  return htmlPage(title, `<p>${shown(text, 500)}</p>`);
}

export function setPageHeaders(response: ServerResponse, { headers }: HtmlPage): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Text of a client as one line of HTML, at most `width` characters. */
export function shown(text: string, width = 100): string {
  return escapeHtml(shorten(cleanLine(text), width));
}

/** The form that a page of this server sends. Undefined if it is not a form, or is too long. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/.test(request.headers["content-type"] ?? "")) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}
