/**
 * The pages that a user sees. They have no scripts, load nothing and cannot be framed.
 *
 * Security: text of clients is escaped, and cleaned of characters that hide or reorder text.
 */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { cleanLine, shorten } from "../../node/questions/display.ts";

export interface Page {
  readonly html: string;
  /** What forms of the page may lead to, beside the page's own origin: a browser checks redirects too. */
  readonly formTargets: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; --line: #8886; --accent: #2456b8; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --accent: #9dbcff; --on: #10203f; } }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 1.5rem 0 1rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
dl { margin: 0; border: 1px solid var(--line); border-radius: 0.5rem; }
dl div { padding: 0.75rem 1rem; }
dl div + div { border-top: 1px solid var(--line); }
dt { font-size: 0.875rem; opacity: 0.8; }
dd { margin: 0; font-weight: 600; }
dd small { display: block; font-weight: 400; }
ul { margin: 0; padding-left: 1.25rem; }
code { font: 0.9375rem ui-monospace, monospace; }
.note { border-left: 0.25rem solid #c2703d; padding: 0.25rem 0 0.25rem 0.75rem; margin: 1.25rem 0; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
button { font: inherit; font-weight: 600; flex: 1 1 7rem; padding: 0.6rem 1rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: none; color: var(--accent); cursor: pointer; }
button.main { flex: 2 1 16rem; background: var(--accent); color: var(--on); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** A page with a constant title. @param content HTML */
export function page(title: string, content: string, formTargets: readonly string[] = []): Page {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style>`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`;
  return { html, formTargets };
}

/** A page with one sentence, after which nothing comes here. */
export function messagePage(title: string, text: string): Page {
  return page(title, `<p>${shown(text, 500)}</p>`);
}

/** Sets the headers of a page. */
export function sendPage(response: ServerResponse, { formTargets }: Page): void {
  const policy = [
    ...["default-src 'none'", `style-src 'sha256-${STYLE_HASH}'`, "base-uri 'none'", "frame-ancestors 'none'"],
    `form-action ${["'self'", ...formTargets].join(" ")}`,
  ];
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("Content-Security-Policy", policy.join("; "));
  response.setHeader("X-Frame-Options", "DENY");
  response.setHeader("X-Content-Type-Options", "nosniff");
  // With `no-referrer` a browser would send the origin of a form as "null".
  response.setHeader("Referrer-Policy", "same-origin");
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cache-Control", "no-store");
}

/** Text of a client as one line of HTML, at most `width` characters. */
export function shown(text: string, width = 100): string {
  return escapeHtml(shorten(cleanLine(text), width));
}

const ENTITIES: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
