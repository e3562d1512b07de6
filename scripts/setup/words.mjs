// The table of parts in words: for `npm run setup -- --check`, and for the table in CONTRIBUTING.md (`node scripts/setup/words.mjs`).
import { fileURLToPath } from "node:url";
import { PARTS } from "./parts.mjs";

/** Where a part comes from. */
export function sourceOf({ debian, npm, command, git, ask }) {
  if (debian !== undefined) return `Debian: ${debian}`;
  if (npm !== undefined) return `npm: ${npm}`;
  if (git !== undefined) return `git: ${new URL(git.url).pathname.slice(1)}`;
  return command === undefined ? ask : `\`${command}\``;
}

/** What is missing, one line a part, and the command that brings it. */
export function missingLines(missing, of) {
  if (missing.length === 0) return [`Every test can run: all ${of} parts are here`];
  const cells = missing.map((part) => [part, PARTS[part].size ?? "", PARTS[part].use, sourceOf(PARTS[part])]);
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const rows = cells.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column])).join("  ")}`.trimEnd());
  const brought = missing.filter((part) => PARTS[part].ask === undefined);
  const command =
    brought.length === 0 ? [] : [`To bring what can be brought: npm run setup   (or only some: npm run setup -- ${brought[0]})`];
  return [`Missing: ${missing.length} of ${of} parts. Tests that need them are left out.`, ...rows, ...command];
}

/** The table of CONTRIBUTING.md. */
export function markdownTable() {
  const rows = Object.entries(PARTS).map(([name, part]) => `| \`${name}\` | ${part.use} | ${part.size ?? ""} | ${sourceOf(part)} |`);
  return ["| part | for tests of | size | from |", "|---|---|---|---|", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(markdownTable());
