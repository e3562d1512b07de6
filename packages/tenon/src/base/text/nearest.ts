/** Finds the name that a user probably meant to type. */

/** The candidate that differs least from `name`; undefined if each differs in more letters than a typing error: at most four. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const known = [...candidates];
  for (let slips = 0; slips <= Math.max(2, Math.min(4, name.length / 3)); slips++) {
    // Names without a common letter are not a typing error.
    const found = known.find(
      (other) => slips < Math.max(other.length, name.length) && isNear(other.toLowerCase(), name.toLowerCase(), slips),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether `a` becomes `b` if at most `slips` letters are added, removed or changed. */
function isNear(a: string, b: string, slips: number): boolean {
  if (a === b) return true;
  if (slips === 0) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [from, to, restFrom, restTo] = [a.slice(same), b.slice(same), a.slice(same + 1), b.slice(same + 1)];
  return isNear(restFrom, restTo, slips - 1) || isNear(restFrom, to, slips - 1) || isNear(from, restTo, slips - 1);
}
