/** Looks at the source of a project: what it uses of the official SDK, what stays, what differs, what is refused. */
import { sourceFilesIn } from "./source-files.ts";
import { type Differing, differingIn } from "./what-differs.ts";
import { type NodeFacts, refusalsOf } from "./refusals.ts";
import { type Use, usesIn } from "./uses.ts";

export interface Findings {
  /** How many files were read. */
  readonly files: number;
  readonly uses: readonly Use[];
  /** How often each name is used, most often first; those that stay the same. */
  readonly same: readonly (readonly [what: string, times: number])[];
  readonly differs: readonly Differing[];
  readonly refused: readonly Differing[];
  /** Files that cannot be parsed. */
  readonly unread: readonly string[];
}

export function scan(folder: string, node: NodeFacts): Findings {
  const files = sourceFilesIn(folder);
  const found = usesIn(files);
  const differs = differingIn(found.uses);
  const refused = refusalsOf(found, node);
  const other = new Set([...differs, ...refused].flatMap(({ uses }) => uses));
  return {
    files: files.length,
    uses: found.uses,
    same: countsOf(found.uses.filter((use) => !other.has(use) && isName(use.what))),
    differs,
    refused,
    unread: found.unread,
  };
}

/** Whether a use is a name, and not a module. */
function isName(what: string): boolean {
  return /[ ()]/.test(what);
}

function countsOf(uses: readonly Use[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { what } of uses) counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
