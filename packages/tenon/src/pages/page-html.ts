/** The pages of an endpoint as responses for a browser. */
import { buttons, escapeHtml, hiddenFields, htmlPage, PAGE_HEADERS } from "../base/html-page.ts";

/** Where a form leads that sends its user on to another site, which may send the browser on to others: a browser checks those redirects too. */
export const ANY_SITE: readonly string[] = ["https:", "http:"];

/** A response for a browser. */
export interface PageResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: string;
}

/** @param body HTML; use `escapeHtml` for every text in it @param formTargets where its forms lead beside the page's own origin */
export function page(
  status: number,
  title: string,
  body: string,
  more: readonly string[] = [],
  formTargets: readonly string[] = [],
): PageResponse {
  const { headers, html } = htmlPage(title, body, formTargets);
  return { status, headers: [...headers, ...more], body: html };
}

/** Sends the browser on. */
export function redirect(location: string, headers: readonly string[] = []): PageResponse {
  return { status: 303, headers: ["Location", location, ...PAGE_HEADERS, ...headers] };
}

/** The page for every link, cookie and callback that cannot be used. It does not say which, because that helps to guess. */
export function unusable(headers: readonly string[] = []): PageResponse {
  const body = "<p>This page was used already, is too old, or belongs to another browser. Make the call again to get another one.</p>";
  return page(400, "This page cannot be used", body, headers);
}

/** A page of one sentence. */
export function message(status: number, title: string, text: string, headers: readonly string[] = []): PageResponse {
  return page(status, title, `<p>${escapeHtml(text)}</p>`, headers);
}

/** A form with hidden fields, and buttons that send a value under one name. @param content HTML above the buttons */
export function form(
  action: string,
  fields: Readonly<Record<string, string>>,
  choices: Readonly<Record<string, string>>,
  content = "",
): string {
  return `<form method="post" action="${escapeHtml(action)}">${hiddenFields(fields)}${content}${buttons("choice", choices)}</form>`;
}
