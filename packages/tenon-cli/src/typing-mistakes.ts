/** Guesses the name or option that the user meant by a mistyped one. */
import { nearest } from "tenon/internal";

/** ` Did you mean "add"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? "" : ` Did you mean ${JSON.stringify(meant)}?`;
}

/**
 * Explains an error of `parseArgs` to the user.
 * @param error what `parseArgs` threw
 * @param known the names of all options, without their dashes
 * @param takesServer whether the command takes a server, whose own options the user may have meant
 */
export function explainOptionMistake(
  error: Error,
  args: readonly string[],
  { known, takesServer }: { known: readonly string[]; takesServer: boolean },
): string {
  const name = /'(?:-\w, )?(-[^' ]*)/.exec(error.message)?.[1] ?? "";
  if (error.message.startsWith("Unknown option")) {
    const meant = didYouMean(
      name,
      known.map((option) => `--${option}`),
    );
    const aside = takesServer ? " The options of a server's own command belong after -- or inside its quotes." : "";
    return `Unknown option ${JSON.stringify(name)}.${meant || aside}`;
  }
  if (error.message.includes("does not take")) return `${name} takes no value.`;
  const next = args[args.indexOf(name) + 1];
  const written = next?.startsWith("-") === true ? ` One that begins with a dash is written ${name}=${next}.` : "";
  return `${name} needs a value.${written}`;
}
