/** Compares the answers of the server on both packages. What differs between two starts of the original is no difference. */
import { differences, type Difference } from "../../inspector/differences.ts";
import type { Answer, Answers } from "./answers.ts";

export interface Changed {
  readonly title: string;
  readonly differences: readonly Difference[];
}

export interface Comparison {
  readonly requests: number;
  readonly same: number;
  /** Requests whose answers differ at each start, where they differ; the rest of them was compared. */
  readonly varying: readonly string[];
  readonly changed: readonly Changed[];
  /** The newest revision with a handshake that each of both speaks, if an older SDK speaks an older one; undefined if it is the same. */
  readonly revision: { readonly official: unknown; readonly tenon: unknown } | undefined;
}

/** Where the answer to `initialize` names the revision. */
const REVISION = "/protocolVersion";

/** @param again the answers of the original at a second start */
export function compare(original: Answers, again: Answers, moved: Answers): Comparison {
  const [varying, changed]: [string[], Changed[]] = [[], []];
  let revision: Comparison["revision"];
  for (const [index, { title, answer }] of original.answers.entries()) {
    const noise = new Set(between(answer, again.answers[index]).map(({ path }) => path));
    const all = between(answer, moved.answers[index]).filter(({ path }) => !noise.has(path));
    const newer = title === "initialize" ? all.find(({ path }) => path === REVISION) : undefined;
    if (newer !== undefined) revision = { official: newer.before, tenon: newer.after };
    const found = all.filter((each) => each !== newer);
    if (noise.size > 0) varying.push(title);
    if (found.length > 0) changed.push({ title, differences: found });
  }
  const requests = original.answers.length;
  return { requests, same: requests - changed.length, varying, changed, revision };
}

function between(answer: unknown, other: Answer | undefined): Difference[] {
  return differences(answer, other?.answer);
}
