/** `tenon move --undo`: everything as it was before the move, byte for byte. */
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { install } from "./project/install.ts";
import { projectIn } from "./project/project.ts";
import { SavedFiles } from "./project/saved-files.ts";

/** @throws UsageError if nothing was moved, or if a file that the move wrote has been changed since */
export async function undo(folder: string, shown: string, { shell, signal, terminal }: Invocation): Promise<Outcome> {
  const saved = new SavedFiles(folder);
  const changed = saved.changedSince();
  if (changed.length > 0)
    throw new UsageError(
      `${changed.join(", ")} has changed since the move, and --undo would lose that. What was there before is in .tenon-move of ${shown}: ` +
        "put it back by hand, and remove that folder.",
    );
  const files = saved.restore();
  const { manager, root } = projectIn(folder, shown);
  terminal.note(`Installing what ${shown === "." ? "the project" : shown} named before`);
  await install(manager, root, shell, signal);
  saved.restore(); // installing may have written the lock file anew
  saved.forget();
  return {
    json: { folder, manager, restored: files },
    text: () => `${new Intl.ListFormat("en").format(files)} ${files.length === 1 ? "is" : "are"} as before the move.`,
  };
}
