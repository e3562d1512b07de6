/** The version of the package, as `--version` prints it and servers are told it. */
import { readFileSync } from "node:fs";

/** Read when asked for: two folders up from here both in `src` and in `dist`. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }; // our own file
  return version;
}
