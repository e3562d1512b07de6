// How a reader gets the packages, on every page that says it: from a clone until a version is at npm, then from npm. A page names what it
// installs in a comment above its block, `<!-- installs: tenon zod -->` or `<!-- creates: notes --yes -->`; the sentence and the command are
// written here. A release writes them for npm.
//   node scripts/installing.mjs [clone|npm]   default: clone
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { repository } from "./places.mjs";

const HOW = "docs/tools/init.md";
const SENTENCE = "No version is at npm yet";
const BLOCK = /^<!-- (installs|creates): (.+) -->\n\n(?:No version is at npm yet.*\n\n)?(```sh.*\n)([^]*?)^```$/gm;
const COMMAND = /^(?:npm install (?:tenon|\.\.\/tenon)|npm create tenon|npx \.\/tenon init)(?:.*\\\n)*.*$/m;
/** What is true only before. */
const UNTIL_NPM = /^No version is published yet.*\n\n|^## Before a version is published\n[^]*?(?=^## )/gm;
const OURS = new Set(["tenon", "tenon-cli"]);
const COLUMNS = 78;

/** The pages that may say it, relative to the root of the repository. */
export function pagesIn(root) {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((name) => `docs/${name.replaceAll("\\", "/")}`);
  return ["README.md", ...docs.filter((name) => name.endsWith(".md") && !name.startsWith("docs/reference/"))];
}

/** A command in lines that fit. */
function wrapped(command) {
  const lines = [""];
  for (const word of command.split(" ")) {
    if (`${lines.at(-1)}${word} \\`.length > COLUMNS) lines.push("  ");
    lines.push(`${lines.pop()}${word} `);
  }
  return lines.map((line) => line.trimEnd()).join(" \\\n");
}

function commandFor(kind, words, from) {
  if (kind === "creates") return from === "npm" ? `npm create tenon@latest ${words.replace(" ", " -- ")}` : `npx ./tenon init ${words}`;
  if (from === "npm") return `npm install ${words}`;
  return ["npm install ../tenon/out/*.tgz", ...words.split(" ").filter((word) => !OURS.has(word))].join(" ");
}

/** The text of a page with the sentences and commands of one of both ways. @throws Error if a block has no command to write */
export function withInstalling(page, text, from) {
  const how = posix.relative(posix.dirname(page), HOW);
  const kept = from === "npm" ? text.replace(UNTIL_NPM, "") : text;
  return kept.replace(BLOCK, (_, kind, words, fence, code) => {
    if (!COMMAND.test(code)) throw new Error(`${page}: no command installs or creates below the comment "${kind}: ${words}"`);
    const place = kind === "creates" ? "in this folder" : "beside this folder";
    const sentence = from === "npm" ? "" : `${SENTENCE}: a clone ${place} [makes the packages](${how}#before-a-version-is-published).\n\n`;
    const command = wrapped(commandFor(kind, words, from));
    return `<!-- ${kind}: ${words} -->\n\n${sentence}${fence}${code.replace(COMMAND, () => command)}\`\`\``;
  });
}

/** All pages with one of both ways, by path. */
export function installingPages(root, from) {
  return new Map(pagesIn(root).map((page) => [page, withInstalling(page, readFileSync(join(root, page), "utf8"), from)]));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [page, text] of installingPages(repository, process.argv[2] ?? "clone")) writeFileSync(join(repository, page), text);
