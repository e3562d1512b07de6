// A program that has started engines and nodes ends them before it ends by SIGINT or SIGTERM: they would go on without it.
import { constants } from "node:os";

/** Aborts with the first of these signals. `exit()`, called when all is stopped, ends the process as that signal does. */
export function stoppedBySignals() {
  const stopped = new AbortController();
  let exit = () => undefined;
  for (const name of ["SIGINT", "SIGTERM"]) {
    process.once(name, () => {
      exit = () => process.exit(128 + constants.signals[name]);
      stopped.abort(new Error(`Ended by ${name}`));
    });
  }
  return { signal: stopped.signal, exit: () => exit() };
}
