/** The positions of a command: the server first, and then its own. */
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { resolveServer, resolveWords, type ServerCommand, type ServerUrl } from "./target.ts";

/** Splits the positions into the server and the others. @throws UsageError if one is missing or surplus */
export function splitPositionals(
  { positionals, words, shell }: Pick<Invocation, "positionals" | "words" | "shell">,
  names: readonly string[],
): { server: ServerCommand | ServerUrl; rest: readonly string[] } {
  const places = words === undefined ? ["server", ...names] : names;
  const missing = places[positionals.length];
  if (missing !== undefined) {
    const hint = missing === "server" ? "" : ` See what there is: tenon list ${positionals[0] ?? `-- ${words?.join(" ")}`}`;
    throw new UsageError(`The ${missing} is missing.${hint}`);
  }
  if (positionals.length > places.length) {
    const surplus = positionals.slice(places.length);
    throw new UsageError(
      names.length > 0 && surplus.every((word) => /^[^=\s]+=/.test(word))
        ? `Arguments are written with --arg: ${surplus.map((word) => `--arg ${word}`).join(" ")}`
        : `${JSON.stringify(surplus[0])} is one word too many. A command of several words belongs in quotes or after --.`,
    );
  }
  if (words !== undefined) return { server: resolveWords(words, shell), rest: positionals };
  return { server: resolveServer(positionals[0]!, shell), rest: positionals.slice(1) };
}
