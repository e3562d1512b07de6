// The table at the terminal: one line a server and a client, and below it each difference that has no reason.
import { explained, openOf } from "./differences.mjs";

/** The columns of a row: those of a server, or how a client was connected. */
export const columnsOf = ({ over }) => over ?? ["start", "lists", "calls", "errors", "end", "gateway", "command"];

/** What stands in a column: "same", "explained" or "differs". */
function cell(row, column) {
  const found = explained(row).filter((one) => one.column === column);
  if (found.length === 0) return "same";
  return found.every(({ reason }) => reason !== undefined) ? "explained" : "differs";
}

const aboutServer = ({ counts, revision, milliseconds: { official, tenon } }) =>
  `${counts.tools ?? 0} tools, ${revision ?? "not started"}, first list after ${official ?? "?"} / ${tenon ?? "?"} ms (official / Tenon)`;

function linesOf(row) {
  const about = row.counts === undefined ? "client" : aboutServer(row);
  const cells = columnsOf(row).map((column) => `${column} ${cell(row, column)}`);
  const places = openOf(row).map(({ at, official, tenon }) => `    ${at}\n      official: ${official}\n      Tenon:    ${tenon}`);
  return [`${row.name} ${row.version}: ${about}`, `  ${cells.join(", ")}`, ...places];
}

/** How many have no difference that nothing explains. */
export const agreeing = (rows) => rows.filter((row) => openOf(row).length === 0).length;

/** What a person reads at the end of a run. */
export function asText({ servers, clients }) {
  const sums = [
    [servers, "servers work with Tenon as with the official client"],
    [clients, "clients work with Tenon as with the official server"],
  ];
  const totals = sums.filter(([rows]) => rows.length > 0).map(([rows, what]) => `${agreeing(rows)} of ${rows.length} ${what}`);
  return [...[...servers, ...clients].flatMap(linesOf), "", ...totals].join("\n");
}
