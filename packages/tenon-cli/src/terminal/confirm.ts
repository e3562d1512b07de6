/** Asks the user for a yes before a file is written. */
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { promptAtTerminal } from "tenon/internal";

/** Resolves with true after a yes, or with `--yes`. @throws UsageError if there is no terminal to ask at */
export async function confirm(
  question: string,
  { values, shell, signal }: Pick<Invocation, "values" | "shell" | "signal">,
): Promise<boolean> {
  if (values.yes === true) return true;
  const prompt = promptAtTerminal(shell);
  if (prompt === undefined) throw new UsageError("There is no terminal to ask at, and nothing was written: add --yes to agree.");
  for (;;) {
    const typed = (await prompt(`${question} [y]es, [n]o: `, signal))?.trim().toLowerCase();
    signal.throwIfAborted();
    if (typed === "y" || typed === "yes") return true;
    if (typed === undefined || typed === "" || typed === "n" || typed === "no") return false;
  }
}
