/**
 * What a command gets from the shell that started it: a folder, an environment, three streams and signals.
 *
 * It is the commands' only way to the process. `process-shell.ts` has the one of this process, and a test passes its own, to run a command
 * beside others. Only what loads an author's file takes the process itself: `tenon run`, `tenon dev`, and serving on stdio.
 */
import type { Readable, Writable } from "node:stream";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A stream of output, which may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface Shell {
  /** The absolute path of the folder at which relative paths begin. */
  readonly cwd: string;
  readonly env: Environment;
  readonly home: string;
  /** The script of the running command. It is not derived from this file, which may be bundled elsewhere. */
  readonly script: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `listener` at each signal of that name, instead of ending the command. Returns a function that stops it. */
  onSignal(name: NodeJS.Signals, listener: () => void): () => void;
  /** Ends the command at once, whatever still runs. */
  exit(code: number): void;
}

export function configVariablesOf({ env, home }: Shell): {
  env: Environment;
  variables: { userHome: string };
} {
  return { env, variables: { userHome: home } };
}
