// What the site has beside its pages, for programs that read: llms.txt (https://llmstxt.org) lists the pages, llms-full.txt
// holds all of them, and each page is there as Markdown too. The sources that pages link are copied as text.
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLDERS, pagesOf } from "./sidebar.mjs";
import { readPage } from "./front-matter.mjs";
import { sources } from "./sources.mjs";

export function writeTexts({ docs, outDir, root, pages }) {
  const folders = Object.entries(FOLDERS).map(([folder, title]) => ({ title, pages: pagesOf(docs, folder) }));
  const home = readPage(join(docs, "index.md"));
  const list = folders.map((folder) => [`## ${folder.title}`, "", ...folder.pages.map(lineOf), ""].join("\n"));
  writeFileSync(join(outDir, "llms.txt"), [`# ${home.title}`, "", `> ${home.description}`, "", ...list].join("\n"));
  const bodies = folders.flatMap((folder) => folder.pages).map(({ path, body }) => `<!-- ${path} -->\n\n${body.trim()}\n`);
  writeFileSync(join(outDir, "llms-full.txt"), bodies.join("\n"));
  for (const page of pages) cpSync(join(docs, page), join(outDir, page));
  for (const source of sources) copyText(join(root, source), join(outDir, "source", `${source}.txt`));
}

function lineOf({ title, path, description }) {
  return `- [${title}](/${path}): ${description}`;
}

function copyText(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
