// What a run of the tests left out because a part of scripts/setup/parts.mjs is not on this machine: the short table at its end.
//
// A test that is left out carries the names of the missing parts. One that was skipped in any other way carries none, and is a fault.
import { howToGet } from "../setup/find.mjs";
import { PARTS } from "../setup/parts.mjs";

/** Each part that was missing, with how many tests and files wanted it. A test that wants two missing parts counts for both. */
export function leftOutByPart(leftOut) {
  const rows = new Map();
  for (const { file, parts } of leftOut) {
    for (const part of parts) {
      const row = rows.get(part) ?? { part, tests: 0, files: new Set() };
      row.tests += 1;
      row.files.add(file);
      rows.set(part, row);
    }
  }
  return [...rows.values()].sort((one, other) => other.tests - one.tests);
}

/** The table, as lines: what is missing, how many tests were left out, what they are about, and the one command that brings the parts. */
export function leftOutTable(leftOut) {
  const rows = leftOutByPart(leftOut);
  if (rows.length === 0) return [];
  const files = new Set(leftOut.map(({ file }) => file)).size;
  const cells = rows.map(({ part, tests }) => [part, String(tests), PARTS[part].use, PARTS[part].size ?? PARTS[part].ask ?? ""]);
  const table = aligned([["missing", "tests", "what they are about", "size"], ...cells]);
  const brought = rows.map(({ part }) => part).filter((part) => PARTS[part].ask === undefined);
  const command = brought.length === 0 ? [] : [`To run them too: ${howToGet(brought)}`];
  return [
    `Left out: ${leftOut.length} tests of ${files} files, which need what is not here. Nothing failed by that.`,
    ...table,
    ...command,
  ];
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 1 ? cell.padStart(widths[1]) : cell.padEnd(widths[column]))).join("  ")}`.trimEnd(),
  );
}
