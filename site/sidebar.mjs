// The sidebar: the pages of each folder by their `order`, then by their title. A new page appears in it by itself.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "./front-matter.mjs";

/** The folders of `docs/` with pages by hand, in the order of the sidebar. */
export const FOLDERS = {
  learn: "Learn",
  tutorials: "Tutorials",
  servers: "Servers",
  serving: "Serving",
  clients: "Clients",
  tools: "Tools",
  moving: "Moving to Tenon",
  project: "The project",
  internals: "Internals",
};

/**
 * The groups of the folders with many pages. A page that none of them names stands above the groups, so a new page needs no entry
 * here.
 */
const GROUPS = {
  servers: {
    "Tools, resources, prompts": ["tools", "results", "errors", "schemas", "resources", "prompts", "lists", "versions"],
    "During a call": ["asking", "asking-state", "progress", "tasks", "tasks-legacy", "tasks-store", "approval"],
    "Logins and keys": ["authorization", "providers", "authorization-server", "api-keys"],
    "Many servers, many tools": ["many-servers", "mounting", "composing", "visibility", "openapi"],
    Extending: ["middleware", "lifespan", "apps", "skills", "extensions", "custom-methods"],
  },
  serving: {
    "Where it runs": ["stdio", "http", "both-families", "sessions", "frameworks", "runtimes", "deploying", "server-card"],
    Gateway: ["gateway", "gateway-team", "pins", "audit", "several-accounts"],
    "Several processes": ["workers", "stores", "cluster", "cluster-failures", "cluster-operating", "several-gateways"],
    "Watching it": ["logging", "observability"],
  },
};

/** The pages of a folder, sorted: a folder inside it is the page that its `index.md` is. */
export function pagesOf(docs, folder) {
  const names = readdirSync(join(docs, folder), { withFileTypes: true });
  const files = names.map((entry) => (entry.isDirectory() ? `${entry.name}/index.md` : entry.name));
  return files
    .filter((name) => name.endsWith(".md") && name !== "index.md" && existsSync(join(docs, folder, name)))
    .map((name) => ({ path: `${folder}/${name}`, ...readPage(join(docs, folder, name)) }))
    .sort((a, b) => a.order - b.order || a.title.localeCompare(b.title));
}

const linkTo = (path) => `/${path.replace(/(index)?\.md$/, "")}`;

/** The first page of a folder. */
export const firstOf = (docs, folder) => linkTo(pagesOf(docs, folder)[0].path);

export function sidebar(docs) {
  const folders = Object.entries(FOLDERS).filter(([folder]) => existsSync(join(docs, folder)));
  const guide = folders.map(([folder, text]) => ({
    text,
    collapsed: folder !== "learn" && folder !== "tutorials",
    items: itemsOf(docs, folder),
  }));
  return { "/": guide, ...reference(docs) };
}

/** The entries of a folder, in groups that fold if it has many pages. VitePress opens the group of the page that is shown. */
function itemsOf(docs, folder) {
  const pages = pagesOf(docs, folder);
  const named = (path) => path.slice(folder.length + 1, -".md".length);
  const entry = ({ title, path }) => ({ text: title, link: linkTo(path) });
  const groups = Object.entries(GROUPS[folder] ?? {});
  const grouped = new Set(groups.flatMap(([, names]) => names));
  const items = groups.map(([text, names]) => ({
    text,
    collapsed: true,
    items: pages.filter(({ path }) => names.includes(named(path))).map(entry),
  }));
  return [...pages.filter(({ path }) => !grouped.has(named(path))).map(entry), ...items.filter((group) => group.items.length > 0)];
}

/**
 * What TypeDoc wrote: one sidebar for each entry of the package, with the other entries and what this one exports. A
 * single one would put a thousand links into each page.
 */
function reference(docs) {
  if (!existsSync(join(docs, "reference"))) return {};
  const paths = entriesIn(docs, "reference");
  const overviews = paths.map((path) => ({ text: readPage(join(docs, path, "index.md")).title, link: `/${path}/` }));
  const entries = { text: "Entries", items: overviews };
  const own = paths.map((path) => [`/${path}/`, [...KINDS.flatMap((kind) => membersOf(docs, path, kind)), entries]]);
  return { "/reference/": [entries], ...Object.fromEntries(own) };
}

const KINDS = ["classes", "functions", "interfaces"];

/** The folders of the entries, such as `reference/ext/tasks`. Some folders only hold others, such as `reference/stores`. */
function entriesIn(docs, folder) {
  const names = readdirSync(join(docs, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = names.filter(({ name }) => !KINDS.includes(name)).map(({ name }) => `${folder}/${name}`);
  return paths.flatMap((path) => [...(existsSync(join(docs, path, "index.md")) ? [path] : []), ...entriesIn(docs, path)]);
}

function membersOf(docs, path, kind) {
  const folder = join(docs, path, kind);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
  const items = names.sort((a, b) => a.localeCompare(b)).map((name) => ({ text: name, link: `/${path}/${kind}/${name}` }));
  return [{ text: kind[0].toUpperCase() + kind.slice(1), collapsed: kind === "interfaces", items }];
}
