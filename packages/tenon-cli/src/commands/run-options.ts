/** What `tenon run` and `tenon dev` read from the command line, and how they end. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UsageError } from "../failure.ts";
import { portOf, type Invocation, type OptionValues } from "../invocation.ts";

/** The port to serve on; undefined for the default, or for stdio. @throws UsageError if the options contradict each other */
export function servedPortOf(values: OptionValues): number | undefined {
  const lost = (["port", "store"] as const).find((name) => values[name] !== undefined);
  if (values.http !== true && lost !== undefined) throw new UsageError(`--${lost} goes with --http.`);
  if (values.watch === true && values.store !== undefined) throw new UsageError("--watch and --store exclude each other.");
  if (values.http === true && values.stdio === true) throw new UsageError("--stdio and --http cannot both be served.");
  return portOf(values);
}

/** The file to serve. @throws UsageError */
export function fileIn({ positionals: [file, ...more], shell }: Invocation): string {
  if (file === undefined) throw new UsageError("The server-file is missing.");
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many. Arguments of the file belong after --.`);
  if (statSync(resolve(shell.cwd, file), { throwIfNoEntry: false })?.isFile() !== true) throw new UsageError(`No such file: ${file}.`);
  return file;
}

/** Milliseconds that running calls get when the command has to end. */
export const DRAIN_MS = 2_000;

const PORT_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another program, often by an earlier tenon that still runs",
  EACCES: "needs more rights",
};

/** Explains an error about the port; undefined for other errors. */
export function portMistake(error: unknown, port = 3000, option: "port" | "ui-port" = "port"): UsageError | undefined {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!Object.hasOwn(PORT_REASONS, code)) return undefined;
  return new UsageError(`Port ${port} ${PORT_REASONS[code]}: give another one with --${option}, or 0 for any that is free.`, {
    cause: error,
  });
}
