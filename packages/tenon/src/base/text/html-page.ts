/**
 * Pages for a person in a browser: questions, logins, consent. One look, one policy, and one way to write text into HTML.
 *
 * Security: a page has no scripts, loads nothing, is not cached, and no other site can frame it. Its forms go to its own origin, unless it
 * says otherwise. The policy allows its stylesheets by their hashes.
 */

export interface HtmlPage {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly html: string;
}

/** A stylesheet, and the SHA-256 of it in base64 that the policy of a page names. */
export interface Stylesheet {
  readonly css: string;
  readonly hash: string;
}

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; --line: #8886; --accent: #2456b8; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --accent: #9dbcff; --on: #10203f; } }
body { margin: 0; background: Canvas; color: CanvasText; }
main { max-width: 32rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 1.5rem 0 1rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p.message { white-space: pre-wrap; }
dl { margin: 0; border: 1px solid var(--line); border-radius: 0.5rem; }
dl div { padding: 0.75rem 1rem; }
dl div + div { border-top: 1px solid var(--line); }
dt { font-size: 0.875rem; opacity: 0.8; }
dd { margin: 0; font-weight: 600; }
dd small { display: block; font-weight: 400; }
ul { margin: 0; padding-left: 1.25rem; }
code { font: 0.9375rem ui-monospace, monospace; }
code.address { display: block; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; }
.note { border-left: 0.25rem solid #c2703d; padding: 0.25rem 0 0.25rem 0.75rem; margin: 1.25rem 0; }
form { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
label { flex: 1 1 100%; }
label small { display: block; opacity: 0.8; }
label .problem { color: #c0392b; opacity: 1; }
input:not([type="hidden"]), select { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: 0.4rem; }
button { font: inherit; font-weight: 600; flex: 1 1 7rem; padding: 0.6rem 1rem; border: 1px solid var(--accent); border-radius: 0.5rem; background: none; color: var(--accent); cursor: pointer; }
button.main { flex: 2 1 16rem; background: var(--accent); color: var(--on); }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
/** SHA-256 of the stylesheet. A constant, because only Node computes it at once; a test compares it. */
const STYLE_HASH = "elaMaYTdHX/0qEnYnXMdGfAxt7jbd52vQs1VWowwn64=";

/** Security headers that a redirect between pages has too. With `no-referrer` a browser would send the origin of a form as "null". */
export const PAGE_HEADERS: readonly string[] = [
  ...["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff", "X-Frame-Options", "DENY"],
  ...["Referrer-Policy", "same-origin", "Cross-Origin-Opener-Policy", "same-origin"],
];

/**
 * A page. @param title text @param content HTML; use {@link escapeHtml} for each text in it
 * @param formTargets where forms may lead beside the page's own origin, as sources of a policy: a browser checks redirects too
 * @param more a second stylesheet, for a page that needs more than the others
 */
export function htmlPage(title: string, content: string, formTargets: readonly string[] = [], more?: Stylesheet): HtmlPage {
  const name = escapeHtml(title);
  const styles = [{ css: STYLE, hash: STYLE_HASH }, ...(more === undefined ? [] : [more])];
  const sheets = styles.map(({ css }) => `<style>${css}</style>`).join("");
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title>${sheets}`;
  const html = `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${name}</h1>${content}</main></body></html>`;
  const policy = `default-src 'none'; style-src ${styles.map(({ hash }) => `'sha256-${hash}'`).join(" ")}; base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets].join(" ")}`;
  return { headers: ["Content-Type", "text/html; charset=utf-8", "Content-Security-Policy", policy, ...PAGE_HEADERS], html };
}

export function hiddenFields(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("");
}

/** The buttons of a form, which send a value under one name; the first is the one that goes on. @param labels by the value that each sends */
export function buttons(name: string, labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([value, label], place) => {
      return `<button${place === 0 ? ' class="main"' : ""} name="${escapeHtml(name)}" value="${escapeHtml(value)}">${escapeHtml(label)}</button>`;
    })
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A text in HTML, also in the value of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
