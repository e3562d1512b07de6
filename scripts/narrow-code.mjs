// Fits the code of pages into the 78 columns that a reader sees without scrolling: formats each block of TypeScript by that width.
// What the formatter cannot break (a long text, a comment) is broken by hand; packages/tenon/test/docs/width.test.ts names it.
//   node scripts/narrow-code.mjs [page …]   default: all pages, the README and the skills
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const COLUMNS = 78;
const BLOCK = /^(```ts[^\n]*\n)([\s\S]*?)^```$/gm;

const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md") && !name.startsWith("reference/"))
  .map((name) => join("docs", name));
const skills = readdirSync(join(root, "packages/tenon/skills")).map((name) => join("packages/tenon/skills", name, "SKILL.md"));
const given = process.argv.slice(2);
const pages = given.length > 0 ? given : ["README.md", ...docs, ...skills];

const folder = mkdtempSync(join(tmpdir(), "tenon-narrow-"));
writeFileSync(join(folder, ".oxfmtrc.json"), JSON.stringify({ printWidth: COLUMNS }));

/** A comment as lines of its own. */
function wrapped(indent, text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${indent}// ${lines.at(-1)} ${word}`.length > COLUMNS && lines.at(-1) !== "") lines.push("");
    lines.push([lines.pop(), word].filter((part) => part !== "").join(" "));
  }
  return lines.map((line) => `${indent}// ${line}`);
}

/** A line whose comment makes it too wide, as several: the comment goes above the code. */
function withoutWideComment(line) {
  if (line.length <= COLUMNS) return [line];
  const [, indent = "", code = "", text] = /^(\s*)(.*?)\s*(?<![:"'`])\/\/ (.*)$/.exec(line) ?? [];
  if (text === undefined || (code.match(/["'`]/g) ?? []).length % 2 === 1) return [line];
  return [...wrapped(indent, text), ...(code === "" ? [] : [indent + code])];
}

const commented = (code) => code.split("\n").flatMap(withoutWideComment).join("\n");

/** A block is formatted only if a line of it is too wide: the others stay as their author wrote them. */
const isWide = (code) => code.split("\n").some((line) => line.length > COLUMNS);
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), "utf8")]));
const blocks = [...texts].flatMap(([page, text]) =>
  [...text.matchAll(BLOCK)].map(([, , code], at) => ({ page, at, code })).filter(({ code }) => isWide(code)),
);
const fileOf = ({ page, at }) => join(folder, `${page.replaceAll("/", "-")}.${at}.ts`);
for (const block of blocks) writeFileSync(fileOf(block), commented(block.code));
const formatter = join(root, "node_modules/oxfmt/bin/oxfmt");
const { status } = spawnSync(process.execPath, [formatter, "-c", ".oxfmtrc.json", "."], { cwd: folder, stdio: "inherit" });
if (status !== 0) process.exit(1);
const made = new Map(blocks.map((block) => [`${block.page} ${block.at}`, commented(readFileSync(fileOf(block), "utf8"))]));
rmSync(folder, { recursive: true });
for (const [page, text] of texts) {
  let at = -1;
  const next = text.replace(BLOCK, (whole, fence) => {
    const code = made.get(`${page} ${(at += 1)}`);
    return code === undefined ? whole : `${fence}${code}\`\`\``;
  });
  if (next !== text) writeFileSync(join(root, page), next);
}
console.log(`${blocks.length} blocks were too wide`);
