/** The version of the package, and the `clientInfo` of the command. */
import { readFileSync } from "node:fs";
import type { Implementation } from "../protocol/capabilities.ts";

/** Reads the version. `package.json` is two folders up, both in `src` and in `dist`. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }; // our own file
  return version;
}

/** The option `clientInfo` of every connection of the command. */
export function clientInfo(): Implementation {
  return { name: "tenon-cli", version: packageVersion() };
}
