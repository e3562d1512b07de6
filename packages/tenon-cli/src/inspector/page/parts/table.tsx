/** A list of objects as a table that can be sorted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, textOf, visible, type Json } from "../data/json.ts";

const MAX_ROWS = 500;
const MAX_COLUMNS = 30;

/** The rows of a value: the value itself, or its only member that is a list of objects. */
export function rowsOf(value: unknown): readonly Json[] | undefined {
  const list = Array.isArray(value) ? value : isObject(value) ? Object.values(value).find((one) => Array.isArray(one)) : undefined;
  return Array.isArray(list) && list.length > 0 && list.every(isObject) ? list : undefined;
}

export function Table({ rows }: { rows: readonly Json[] }): VNode {
  const [sorted, sort] = useState<{ readonly column: string; readonly isDown: boolean }>();
  const columns = [...new Set(rows.slice(0, MAX_ROWS).flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  const ordered =
    sorted === undefined ? rows : [...rows].sort((a, b) => compare(a[sorted.column], b[sorted.column]) * (sorted.isDown ? -1 : 1));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of the result">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" aria-sort={sorted?.column !== column ? "none" : sorted.isDown ? "descending" : "ascending"}>
                <button type="button" onClick={() => sort({ column, isDown: sorted?.column === column && !sorted.isDown })}>
                  {visible(column)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, MAX_ROWS).map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cellText(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS ? <p class="about">{rows.length - MAX_ROWS} more rows: see Structured.</p> : null}
    </div>
  );
}

function cellText(value: unknown): string {
  return value === undefined ? "" : visible(typeof value === "string" ? value : JSON.stringify(value)).slice(0, 500);
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return textOf(a).localeCompare(textOf(b), undefined, { numeric: true });
}
