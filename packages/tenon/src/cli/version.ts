/** What the package says about itself: its version, the `clientInfo` of the command, and where the files of the page are. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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

/** The folder with the files of the page of `tenon inspect`. The build makes it. */
export function pageFolder(): string {
  return fileURLToPath(new URL("../../dist/inspector/", import.meta.url));
}
