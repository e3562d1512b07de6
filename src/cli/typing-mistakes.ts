/** What was most likely meant by a name or an option that was typed wrong. */

/** The candidate nearest to `name`, if one is near enough to be a slip of the fingers. */
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

/** ` Did you mean "add"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
}

/**
 * What is wrong with the options that were typed; what `parseArgs` says of it is for programmers.
 * @param error what `parseArgs` threw
 * @param known the names of all options, without their dashes
 */
export function explainOptionMistake(error: Error, args: readonly string[], known: readonly string[]): string {
  const name = /'(?:-\w, )?(-[^' ]*)/.exec(error.message)?.[1] ?? "";
  if (error.message.startsWith("Unknown option")) {
    const meant = didYouMean(
      name,
      known.map((option) => `--${option}`),
    );
    return `Unknown option ${JSON.stringify(name)}.${meant === "" ? " The options of a server's own command belong after -- or inside its quotes." : meant}`;
  }
  if (error.message.includes("does not take")) return `${name} takes no value.`;
  const next = args[args.indexOf(name) + 1];
  const written = next?.startsWith("-") === true ? ` One that begins with a dash is written ${name}=${next}.` : "";
  return `${name} needs a value.${written}`;
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
