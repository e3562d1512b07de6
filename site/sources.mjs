// Links to what is no page, such as an example, lead to a copy of the file as text, under `/source/`. So the site
// has every file that a page names, whatever the reader opened it from.
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** The files that pages link and that are no pages, relative to the project. */
export const sources = new Set();

/** Makes a page's links into the project links of the site. */
export function linkSources(md, root) {
  md.core.ruler.push("sources", ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) if (token.type === "link_open") relink(token, env.path, root);
    }
  });
}

function relink(token, page, root) {
  const href = token.attrGet("href");
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return;
  const path = relative(root, join(dirname(page), href.replace(/#.*/, "")));
  if (path.startsWith("docs/") && path.endsWith(".md")) return;
  if (!existsSync(join(root, path))) throw new Error(`${relative(root, page)} links ${href}, which is no file`);
  sources.add(path);
  token.attrSet("href", `/source/${path}.txt`);
  token.attrSet("target", "_blank");
}
