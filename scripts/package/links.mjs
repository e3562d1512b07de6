// Links of a page that is read outside the repository: those to pages of `docs/` lead to the site, those to other files to its copy of
// them. The address of the site stands in the manifest of the package `tenon`, and nowhere else.
import { posix } from "node:path";

/**
 * The Markdown of a file of the repository with links that work anywhere.
 * @param path the file, from the root of the repository
 * @param stays files that lie beside it where it is read
 */
export function withSiteLinks(text, path, homepage, stays = []) {
  return text.replace(/(!?)\]\((?![a-z]+:|#|\/)([^)#\s]+)(#[^)\s]*)?\)/g, (link, image, target, anchor = "") => {
    const file = posix.join(posix.dirname(path), target);
    return stays.includes(file) ? link : `${image}](${addressOf(file, homepage)}${anchor})`;
  });
}

/** Where the site has a file of the repository: a page, a picture, or a copy as text. */
export function addressOf(file, homepage) {
  const base = homepage.replace(/\/$/, "");
  const page = /^docs\/(.*)\.md$/.exec(file)?.[1];
  if (page !== undefined) return `${base}/${page.replace(/(^|\/)index$/, "$1")}${/(^|\/)index$/.test(page) ? "" : ".html"}`;
  const picture = /^docs\/(.*\.svg)$/.exec(file)?.[1];
  return picture === undefined ? `${base}/source/${file}.txt` : `${base}/${picture}`;
}
