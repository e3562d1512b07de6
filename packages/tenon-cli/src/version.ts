/** What the package says about itself: its version, the `clientInfo` of the command, and where the files of the page are. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Implementation } from "../protocol/capabilities.ts";

interface OwnPackage {
  readonly version: string;
  readonly devDependencies: { readonly [name: string]: string };
}

/** Reads `package.json`, which is two folders up, both in `src` and in `dist`. */
function ownPackage(): OwnPackage {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as OwnPackage; // our own file
}

/** The folder of the package. */
export function packageFolder(): string {
  return fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");
}

export function packageVersion(): string {
  return ownPackage().version;
}

/** The versions that this release was tested with, by the names of packages. */
export function testedVersions(): OwnPackage["devDependencies"] {
  return ownPackage().devDependencies;
}

/** The option `clientInfo` of every connection of the command. */
export function clientInfo(): Implementation {
  return { name: "tenon-cli", version: packageVersion() };
}

/** The folder with the files of the page of `tenon inspect`. The build makes it. */
export function pageFolder(): string {
  return fileURLToPath(new URL("../../dist/inspector/", import.meta.url));
}
