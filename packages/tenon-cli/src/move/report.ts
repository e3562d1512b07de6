/** What a move shows: the findings in the source, what was written, and the comparison. */
import { cleanLine, shorten, type Paint } from "tenon/internal";
import type { Comparison } from "./replay/compare.ts";
import type { Findings } from "./source/scan.ts";
import type { Differing } from "./source/what-differs.ts";

export interface Report {
  readonly findings: Findings;
  readonly installed: string | undefined;
  readonly framework: string | undefined;
  readonly wrote: readonly string[];
  readonly note: string | undefined;
  readonly comparison: Comparison | undefined;
  /** Why nothing was compared, or why the moved server failed. */
  readonly problem: string | undefined;
  readonly newest: { readonly revision: string; readonly lists: Readonly<Record<string, number | string>> | string } | undefined;
  /** Whether the server failed on one of both, or on the newest revision. */
  readonly failed: boolean;
  readonly next: readonly string[];
}

/** Most places and differences that are shown of one kind; `--json` has all. */
const [MAX_PLACES, MAX_DIFFERENCES, MAX_VALUE] = [5, 10, 120];

export function describeMove(report: Report, paint: Paint): string {
  const { findings, installed, framework, wrote, note, next } = report;
  const about = `${findings.files} ${findings.files === 1 ? "file" : "files"}${installed === undefined ? "" : `, @modelcontextprotocol/sdk ${installed}`}`;
  const same = findings.same.map(([what, times]) => `${what}${times === 1 ? "" : ` ×${times}`}`).join(", ");
  return [
    `${paint("bold", "Looked at")} ${about}`,
    ...(framework === undefined ? [] : [framework]),
    `${paint("bold", "Stays the same:")} ${same === "" ? "nothing of the SDK is named here" : same}`,
    ...section("Differs", findings.differs, paint),
    ...section("Cannot be moved", findings.refused, paint),
    ...(findings.unread.length === 0 ? [] : [`Not parsed: ${findings.unread.join(", ")}`]),
    ...(wrote.length === 0 ? [] : ["", `${paint("bold", "Wrote")} ${wrote.join(", ")}, and installed`]),
    ...(note === undefined ? [] : [note]),
    ...comparisonLines(report, paint),
    ...(next.length === 0 ? [] : ["", paint("bold", "Next:"), ...next.map((line) => `  ${line}`)]),
  ].join("\n");
}

function section(title: string, rows: readonly Differing[], paint: Paint): string[] {
  if (rows.length === 0) return [];
  return [
    paint("bold", `${title}:`),
    ...rows.flatMap(({ about, uses }) => {
      const places = uses.slice(0, MAX_PLACES).map(({ what, file, line }) => `    ${cleanLine(file)}:${line}  ${cleanLine(what)}`);
      const more = uses.length - places.length;
      return [`  ${about}`, ...places, ...(more > 0 ? [`    and ${more} more`] : [])];
    }),
  ];
}

function comparisonLines({ comparison, problem, newest }: Report, paint: Paint): string[] {
  const lines: string[] = [];
  if (comparison !== undefined) {
    const { requests, same, varying, changed, revision } = comparison;
    lines.push("", `${paint("bold", "Compared")} ${requests} requests: ${same} the same`);
    if (varying.length > 0) lines.push(`  different at each start, and compared but for that: ${varying.map(cleanLine).join(", ")}`);
    if (revision !== undefined)
      lines.push(`  with a handshake it speaks ${String(revision.tenon)} now; the SDK that it had speaks ${String(revision.official)}`);
    for (const { title, differences } of changed) {
      lines.push(`  ${paint("red", "✗")} ${cleanLine(title)}`);
      for (const { path, before, after } of differences.slice(0, MAX_DIFFERENCES))
        lines.push(`      ${cleanLine(path || "(whole)")}  official ${valueText(before)}  Tenon ${valueText(after)}`);
      if (differences.length > MAX_DIFFERENCES) lines.push(`      and ${differences.length - MAX_DIFFERENCES} more`);
    }
  }
  if (newest !== undefined) lines.push(newestLine(newest, paint));
  if (problem !== undefined) lines.push("", problem);
  return lines;
}

function newestLine({ revision, lists }: NonNullable<Report["newest"]>, paint: Paint): string {
  if (typeof lists === "string") return `${paint("red", "✗")} On ${revision}: ${cleanLine(lists)}`;
  const counts = Object.entries(lists).map(([name, count]) => `${name} ${cleanLine(String(count))}`);
  return `On ${revision} it serves${counts.length === 0 ? ", and lists nothing" : `: ${counts.join(", ")}`}`;
}

function valueText(value: unknown): string {
  return value === undefined ? "absent" : cleanLine(shorten(JSON.stringify(value), MAX_VALUE));
}
