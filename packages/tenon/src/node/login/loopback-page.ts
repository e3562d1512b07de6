/**
 * The page that a user sees after a login: always the same, without scripts, and without anything from the request.
 *
 * It cannot say whether the login worked; the program does.
 */
import { createHash } from "node:crypto";

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { display: grid; place-content: center; min-height: 100vh; margin: 0; }
main { max-width: 26rem; margin: 1.5rem; padding: 1.5rem 0 3rem; border-top: 0.25rem solid #c2703d; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; font-weight: 600; }
p { margin: 0; opacity: 0.8; }
`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The headers of every response. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  connection: "close",
};

/** @param title @param text constant HTML. Security: never pass text of a request */
export function loopbackPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
}
