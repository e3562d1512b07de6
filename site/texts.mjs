// What the site has beside its pages, for programs that read: llms.txt (https://llmstxt.org) lists the pages, llms-full.txt
// holds all of them, and each page is there as Markdown too. The sources that pages link are copied as text.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLDERS, pagesOf } from "./sidebar.mjs";
import { readPage } from "./front-matter.mjs";
import { sources } from "./sources.mjs";

export function writeTexts({ docs, outDir, root, pages }) {
  const folders = foldersOf(docs);
  writeFileSync(join(outDir, "llms.txt"), pageList({ docs }));
  const bodies = folders.flatMap((folder) => folder.pages).map(({ path, body }) => `<!-- ${path} -->\n\n${body.trim()}\n`);
  writeFileSync(join(outDir, "llms-full.txt"), bodies.join("\n"));
  for (const page of pages) cpSync(join(docs, page), join(outDir, page));
  // The README of the package shows them from here.
  for (const picture of readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".svg")))
    copyText(join(docs, picture), join(outDir, picture));
  for (const source of sources) copyText(join(root, source), join(outDir, "source", `${source}.txt`));
}

const foldersOf = (docs) => Object.entries(FOLDERS).map(([folder, title]) => ({ title, pages: pagesOf(docs, folder) }));

/** The text of `llms.txt`: every page with its description, below `base`. `how` is said before the pages. */
export function pageList({ docs, base = "", how = [] }) {
  const home = readPage(join(docs, "index.md"));
  const line = ({ title, path, description }) => `- [${title}](${base}/${path}): ${description}`;
  const list = foldersOf(docs).map((folder) => [`## ${folder.title}`, "", ...folder.pages.map(line), ""].join("\n"));
  return [`# ${home.title}`, "", `> ${home.description}`, "", ...(how.length === 0 ? [] : [...how, ""]), ...list].join("\n");
}

function copyText(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
