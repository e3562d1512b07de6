/** The pages of an endpoint as responses for a browser. */
import { AuthorizationError } from "../auth/authorization-error.ts";
import { buttons, escapeHtml, hiddenFields, htmlPage, PAGE_HEADERS } from "../base/text/html-page.ts";

/** Where a form leads that sends its user on to another site, which may send the browser on to others: a browser checks those redirects too. */
export const ANY_SITE: readonly string[] = ["https:", "http:"];

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

/** Errors of an authorization server that say that the user, or a policy of it, did not want this login (OpenID Connect Core section 3.1.2.6). */
const DENIALS: ReadonlySet<string | undefined> = new Set(["access_denied", "interaction_required", "login_required", "consent_required"]);

/** The page after a login that did not work. @param again what its user can do after a denial */
export function failedLogin(error: unknown, again: string, headers: readonly string[] = []): PageResponse {
  const code = error instanceof AuthorizationError && error.hop === "authorization" ? error.error : undefined;
  if (DENIALS.has(code)) return message(403, "You are not logged in", `The login was cancelled or refused. ${again}`, headers);
  if (code === "temporarily_unavailable")
    return message(503, "The login is busy", "Try again in a minute.", [...headers, "Retry-After", "60"]);
  return message(502, "This did not work", "The operator of this server can see why. Try again later.", headers);
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
