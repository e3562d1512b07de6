// The table of figures of the page "Compared with", from what compared.mjs has written, and the programs that tasks.mjs runs.
//   node lab/compared/table.mjs   writes both into the page
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const page = fileURLToPath(new URL("../../docs/project/compared.md", import.meta.url));
const figures = fileURLToPath(new URL("../../docs/project/compared.json", import.meta.url));
const tasks = fileURLToPath(new URL("tasks/", import.meta.url));
const NAMES = {
  tenon: "**Tenon**",
  official: "official SDK",
  python: "FastMCP (Python)",
  fastmcp: "fastmcp (npm)",
  xmcp: "xmcp",
  "mcp-use": "mcp-use",
};
const ALL = 5;
const BEGIN = "<!-- figures: made by lab/compared/table.mjs -->";
const END = "<!-- end of the figures -->";

const ms = (micros) => (micros === undefined ? "–" : (micros / 1_000).toFixed(2));
const said = (revisions) => (revisions.length === ALL ? "all five" : `${revisions.length}, up to ${revisions.at(-1)}`);

/** The page with its table made anew. */
export function withTable(text, { date, machine, frameworks }) {
  const rows = Object.entries(NAMES).map(([id, name]) => {
    const { version, revisions, packages, megabytes, start, call } = frameworks[id];
    const [stateful, stateless] = [call["2025-11-25"], call["2026-07-28"]].map(ms);
    return `| ${name} ${version} | ${said(revisions)} | ${packages} | ${megabytes} | ${start} | ${stateful} | ${stateless} |`;
  });
  // A narrow column breaks a date at other hyphens.
  const [older, newer] = ["2025-11-25", "2026-07-28"].map((revision) => revision.replaceAll("-", "\u2011"));
  const calls = `a call of ${older}, ms | a call of ${newer}, ms`;
  const head = `| | revisions | packages | MB | start, ms | ${calls} |\n|---|---|---:|---:|---:|---:|---:|`;
  const when = `Measured on ${date} on a machine with ${machine}.`;
  const [before, rest] = text.split(BEGIN);
  return `${before}${BEGIN}\n\n${[head, ...rows].join("\n")}\n\n${when}\n\n${END}${rest.split(END)[1]}`;
}

/** A program that the page shows, folded: its title is a line of the page, its code the file. */
const PROGRAM = /<!-- program: (\S+) -->\n\n```\w+\n[\s\S]*?```/g;
const LANGUAGES = { py: "python", mjs: "js", txt: "typescript" };

/** The page with its programs as they are in their files. */
export const withPrograms = (text) =>
  text.replace(PROGRAM, (_, file) => {
    const code = readFileSync(`${tasks}${file}`, "utf8");
    return `<!-- program: ${file} -->\n\n\`\`\`${LANGUAGES[file.split(".").at(-1)]}\n${code}\`\`\``;
  });

/** The page and what it is made of, as they are. */
export const read = () => ({ text: readFileSync(page, "utf8"), figures: JSON.parse(readFileSync(figures, "utf8")) });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, figures: measured } = read();
  writeFileSync(page, withPrograms(withTable(text, measured)));
}
