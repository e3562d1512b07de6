/** The rows of the page as text: what the probes said, for every pair of revisions, in as few words as are exact. */
import type { ProtocolVersion } from "tenon";
import { REVISIONS } from "../../support/matrix.ts";
import { FEATURES, pairOf, type Feature, type Outcome } from "./features.ts";

interface Measured {
  readonly front: ProtocolVersion;
  readonly behind: ProtocolVersion;
  readonly outcome: Outcome;
}

const STATELESS: ProtocolVersion = "2026-07-28";
const HEAD = [
  "| | both sides from | before | with → with | with → without | without → with | without → without |",
  "|---|---|---|---|---|---|---|",
];

/** Probes a feature with all pairs of revisions. @throws Error that names the pair, if a probe fails */
export async function measure({ name, probe }: Feature): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const front of REVISIONS) {
    for (const behind of REVISIONS) {
      try {
        measured.push({ front, behind, outcome: await probe(pairOf(front, behind)) });
      } catch (cause) {
        throw new Error(`"${name}", client ${front}, server ${behind}: ${String(cause)}`, { cause });
      }
    }
  }
  return measured;
}

/**
 * The row of a feature. The first revision is the least from which all pairs of one cell are equal, and all pairs before it.
 * @throws Error that lists all pairs if there is none: such a feature needs a row of its own kind
 */
export function rowOf({ name }: Feature, measured: readonly Measured[]): string {
  for (const first of REVISIONS) {
    const isLater = ({ front, behind }: Measured): boolean => front >= first && behind >= first;
    const cells = [false, true].flatMap((isFrontStateless) =>
      [false, true].map((isBehindStateless) =>
        wordsOf(
          measured.filter(
            (one) => isLater(one) && (one.front === STATELESS) === isFrontStateless && (one.behind === STATELESS) === isBehindStateless,
          ),
        ),
      ),
    );
    const before = wordsOf(measured.filter((one) => !isLater(one)));
    if ([before, ...cells].every((words) => words.length <= 1))
      return `| ${[name, before.length === 0 ? "" : first, before[0] ?? "", ...cells.map(([word]) => word ?? "")].join(" | ")} |`;
  }
  throw new Error(`"${name}" differs by pair: ${measured.map(({ front, behind, outcome }) => `${front} ${behind} ${outcome}`).join("; ")}`);
}

function wordsOf(measured: readonly Measured[]): Outcome[] {
  return [...new Set(measured.map(({ outcome }) => outcome))];
}

/** All tables, a heading each. @param rows the row of each feature, by its name */
export function tablesOf(rows: ReadonlyMap<string, string>): string {
  const groups = [...new Set(FEATURES.map(({ group }) => group))];
  const table = (group: string): string[] => FEATURES.filter((one) => one.group === group).map(({ name }) => rows.get(name)!);
  return groups.map((group) => [`### ${group}`, "", ...HEAD, ...table(group)].join("\n")).join("\n\n");
}

/** The names of the features in a page, in order. */
export function namesIn(page: string): string[] {
  const isRow = (line: string): boolean => /^\| [^|]+ \|/.test(line) && line.split("|").length === HEAD[1]!.split("|").length;
  return page
    .split("\n")
    .filter(isRow)
    .map((line) => line.split("|")[1]!.trim())
    .filter((name) => name !== "");
}
