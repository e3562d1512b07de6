/** What the page of an endpoint needs beside the stylesheet of all pages: a wider column, cards and links that look like buttons. */
import type { Stylesheet } from "../../../base/text/html-page.ts";

const css = `
main { max-width: 60rem; padding: 2rem 1.5rem 4rem; }
h1 { font-size: 2rem; margin: 1.5rem 0 0; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 0.75rem; }
.kind { margin: 0.25rem 0 1.25rem; opacity: 0.75; }
.about { max-width: 40rem; margin: 0 0 1.25rem; }
code { user-select: all; }
code.address { font-size: 1.0625rem; background: #8881; }
.hosts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 1rem; list-style: none; padding: 0; }
.hosts li { display: flex; flex-direction: column; gap: 0.75rem; padding: 1rem; border: 1px solid var(--line); border-radius: 0.75rem; }
.hosts h3 { font-size: 1rem; margin: 0; }
.hosts p { margin: 0; font-size: 0.9375rem; opacity: 0.85; }
.hosts code { display: block; padding: 0.625rem 0.75rem; border-radius: 0.5rem; background: #8882; overflow-wrap: anywhere; }
.hosts code span { display: inline-block; }
a { color: var(--accent); }
a.button { display: block; text-align: center; text-decoration: none; font-weight: 600; padding: 0.6rem 1rem; border-radius: 0.5rem; background: var(--accent); color: var(--on); }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.tools { display: grid; gap: 0.625rem; list-style: none; padding: 0; }
.tools li { padding-left: 0.875rem; border-left: 0.1875rem solid var(--line); }
.tools strong { font: 600 0.9375rem ui-monospace, monospace; }
.tools span { display: block; opacity: 0.85; }
.last { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
`;

/** The hash is a constant, because only Node computes it at once; a test compares it. */
export const WELCOME_STYLE: Stylesheet = { css, hash: "XHL0ERSbH09o+/wyDz8L0mgFn4h2dOM8kskqj7J5/ts=" };
