/** The name that was most likely meant by one that was typed wrong. */

/** The candidate nearest to `name`, or undefined if none is near enough to be a slip of the fingers. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const typed = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    if (Math.abs(known.length - typed.length) >= least) continue;
    const steps = distance(typed, known);
    // Names that have nothing in common are no slip.
    if (steps < least && steps < Math.max(known.length, typed.length)) [best, least] = [candidate, steps];
  }
  return best;
}

/** Levenshtein's distance, a row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
