// Follows every link of a built site inside it: the page or file must be there, and the heading that an anchor names.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The values of an attribute in a page. */
function values(text, attribute) {
  return [...text.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value]) => value.replaceAll("&amp;", "&"));
}

/** The file of the site that an address in it names. */
function fileOf(site, pathname) {
  const path = decodeURIComponent(pathname).slice(1);
  return [path, `${path}.html`, join(path, "index.html")].find(
    (name) => existsSync(join(site, name)) && statSync(join(site, name)).isFile(),
  );
}

/** How many pages and links the site in a folder has, and what is wrong with which. */
export function deadLinks(site) {
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [name, readFileSync(join(site, name), "utf8")]));
  const anchors = new Map([...texts].map(([name, text]) => [name, new Set(values(text, "id"))]));
  const wrong = (page, href) => {
    const url = new URL(href, `http://site/${page}`);
    if (url.host !== "site") return undefined;
    const file = fileOf(site, url.pathname);
    if (file === undefined) return `${page}: ${href} leads nowhere`;
    const anchor = decodeURIComponent(url.hash.slice(1));
    if (anchor === "" || !anchors.has(file) || anchors.get(file).has(anchor)) return undefined;
    return `${page}: ${href} names a heading that is not there`;
  };
  const links = [...texts].flatMap(([page, text]) => [...new Set(values(text, "href"))].map((href) => [page, href]));
  const complaints = links.map(([page, href]) => wrong(page, href)).filter((complaint) => complaint !== undefined);
  return { pages, links: links.length, complaints };
}
