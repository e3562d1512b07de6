// Writes the pages of the documentation as one file, for `tenon docs --mcp`: the guides, without the pages for those who change the source.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
const LEFT_OUT = /^(internals|reference|public)\/|^index\.md$/;

/** The pages: `{ path, title, description, text }` of each, by path. */
export function docsPages() {
  return readdirSync(docs, { recursive: true })
    .map((name) => relative(docs, join(docs, name)).split(sep).join("/"))
    .filter((path) => path.endsWith(".md") && !LEFT_OUT.test(path))
    .sort()
    .map((path) => pageOf(path, readFileSync(join(docs, path), "utf8")));
}

function pageOf(path, whole) {
  const front = /^---\n([^]*?)\n---\n/.exec(whole);
  const text = whole.slice(front?.[0].length ?? 0).trim();
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  const description = /^description: (.+)$/m.exec(front?.[1] ?? "")?.[1] ?? /^[A-Z].+$/m.exec(text)?.[0] ?? "";
  return { path, title, description: description.replace(/^["']|["']$/g, ""), text };
}

/** Writes them compressed; reading them takes ten milliseconds. */
export function writeDocsPages(file) {
  writeFileSync(file, gzipSync(JSON.stringify(docsPages()), { level: 9 }));
}
