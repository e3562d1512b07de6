/** The pages of a login: no script, no address of another site, and every text escaped. */

/** Headers of every page. Security: no site may frame a page, so no click can be stolen; `same-origin` keeps the header `Origin` of forms. */
const HEADERS = [
  "Cache-Control",
  "no-store",
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "same-origin",
  "X-Frame-Options",
  "DENY",
  "Content-Security-Policy",
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
];
const STYLE =
  ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem;margin-right:.5rem}li{margin:.75rem 0}code{overflow-wrap:anywhere}";

/** A response for a browser. */
export interface PageResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body?: string;
}

/** @param body HTML; use {@link escaped} for every text in it */
export function page(status: number, title: string, body: string, headers: readonly string[] = []): PageResponse {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1>${body}</html>`;
  return { status, headers: ["Content-Type", "text/html; charset=utf-8", ...HEADERS, ...headers], body: html };
}

/** Sends the browser on. */
export function redirect(location: string, headers: readonly string[] = []): PageResponse {
  return { status: 303, headers: ["Location", location, ...HEADERS, ...headers] };
}

/** The page for every link, cookie and callback that cannot be used. It does not say which, because that helps to guess. */
export function unusable(headers: readonly string[] = []): PageResponse {
  const body = "<p>This page was used already, is too old, or belongs to another browser. Make the call again to get another one.</p>";
  return page(400, "This page cannot be used", body, headers);
}

/** A page of one sentence. */
export function message(status: number, title: string, text: string, headers: readonly string[] = []): PageResponse {
  return page(status, title, `<p>${escaped(text)}</p>`, headers);
}

/** A form with a hidden token, and buttons that send a value under one name. */
export function form(action: string, fields: Readonly<Record<string, string>>, buttons: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`);
  const choices = Object.entries(buttons).map(
    ([value, label]) => `<button name="choice" value="${escaped(value)}">${escaped(label)}</button>`,
  );
  return `<form method="post" action="${escaped(action)}">${inputs.join("")}${choices.join("")}</form>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
