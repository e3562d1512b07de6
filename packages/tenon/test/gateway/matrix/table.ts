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
  "| | from | before | with → with | with → without | without → with | without → without |",
  "|---|---|---|---|---|---|---|",
];

/** Probes a feature with all pairs of revisions. @throws Error that names the pair, if a probe fails */
export async function measure({ name, probe }: Feature): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const front of REVISIONS) {
    for (const behind of REVISIONS) {
      const pair = pairOf(front, behind);
      try {
        measured.push({ front, behind, outcome: await probe(pair) });
      } catch (cause) {
        throw new Error(`"${name}", client ${front}, server ${behind}: ${String(cause)}`, { cause });
      } finally {
        await pair.close();
      }
    }
  }
  return measured;
}

/** Revisions from which a feature may be bridged: of both sides, of the server only, of the client only. */
const OLDEST = REVISIONS[0]!;
const BEGINNINGS = [
  ...REVISIONS.map((both) => ({ front: both, behind: both, words: both === OLDEST ? "" : both })),
  ...REVISIONS.slice(1).map((behind) => ({ front: OLDEST, behind, words: `server ${behind}` })),
  ...REVISIONS.slice(1).map((front) => ({ front, behind: OLDEST, words: `client ${front}` })),
];

/**
 * The row of a feature: the least revisions from which all pairs of one cell are equal, and all pairs before them.
 * @throws Error that lists all pairs if there are none: such a feature needs a row of its own kind
 */
export function rowOf({ name }: Feature, measured: readonly Measured[]): string {
  for (const from of BEGINNINGS) {
    const isLater = ({ front, behind }: Measured): boolean => front >= from.front && behind >= from.behind;
    const later = measured.filter(isLater);
    const before = wordsOf(measured.filter((one) => !isLater(one)));
    const cells = FAMILIES.map((isIn) => wordsOf(later.filter(isIn)));
    if ([before, ...cells].some((words) => words.length > 1)) continue;
    return `| ${[name, from.words, before[0] ?? "", ...cells.map(([word]) => word ?? "")].join(" | ")} |`;
  }
  throw new Error(
    `"${name}" differs by pair: ${measured.map(({ front, behind, outcome }) => `${front} ${behind} ${outcome}`).join("; ")}`,
  );
}

/** With → with, with → without, without → with, without → without. */
const FAMILIES = [false, true].flatMap((isFront) =>
  [false, true].map(
    (isBehind) =>
      ({ front, behind }: Measured): boolean =>
        (front === STATELESS) === isFront && (behind === STATELESS) === isBehind,
  ),
);

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
