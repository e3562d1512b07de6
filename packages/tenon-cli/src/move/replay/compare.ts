/** Compares the answers of the server on both packages. What differs between two starts of the original is no difference. */
import { differences, type Difference } from "../../inspector/differences.ts";
import type { Answer, Answers } from "./answers.ts";

/** The answers to one request that differ. */
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
}

/** @param again the answers of the original at a second start */
export function compare(original: Answers, again: Answers, moved: Answers): Comparison {
  const [varying, changed]: [string[], Changed[]] = [[], []];
  for (const [index, { title, answer }] of original.answers.entries()) {
    const noise = new Set(between(answer, again.answers[index]).map(({ path }) => path));
    const found = between(answer, moved.answers[index]).filter(({ path }) => !noise.has(path));
    if (noise.size > 0) varying.push(title);
    if (found.length > 0) changed.push({ title, differences: found });
  }
  const requests = original.answers.length;
  return { requests, same: requests - changed.length, varying, changed };
}

function between(answer: unknown, other: Answer | undefined): Difference[] {
  return differences(answer, other?.answer);
}
