/**
 * Writes pages to a user.
 *
 * Security: text of clients is escaped, and cleaned of characters that hide or reorder text.
 */
import type { ServerResponse } from "node:http";
import { escapeHtml, htmlPage, type HtmlPage } from "../../base/text/html-page.ts";
import { cleanLine, shorten } from "../../node/questions/display.ts";

/** A page with one sentence, after which nothing comes here. */
export function messagePage(title: string, text: string): HtmlPage {
  return htmlPage(title, `<p>${shown(text, 500)}</p>`);
}

/** Sets the headers of a page. */
export function setPageHeaders(response: ServerResponse, { headers }: HtmlPage): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Text of a client as one line of HTML, at most `width` characters. */
export function shown(text: string, width = 100): string {
  return escapeHtml(shorten(cleanLine(text), width));
}
