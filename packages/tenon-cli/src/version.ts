/** What the package says about itself: its version, the `clientInfo` of the command, and where its files and the files of Tenon are. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { Implementation } from "tenon";

const require = createRequire(import.meta.url);

/** A member of `package.json` that maps names of packages to versions. */
type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly devDependencies: Versions;
}

const ownFile = (): string => require.resolve("#package.json");
const manifest = (): Manifest => JSON.parse(readFileSync(ownFile(), "utf8")) as Manifest; // our own file

export function packageVersion(): string {
  return manifest().version;
}

export function testedVersions(): Versions {
  return manifest().devDependencies;
}

/** The option `clientInfo` of every connection of the command. */
export function clientInfo(): Implementation {
  return { name: "tenon-cli", version: packageVersion() };
}

/** The folder with the files of the page of `tenon inspect`. The build makes it. */
export function pageFolder(): string {
  return join(packageFolder("tenon-cli"), "dist", "inspector");
}

/** The folder of the command, or of the Tenon that it uses. */
export function packageFolder(name: "tenon" | "tenon-cli"): string {
  return dirname(name === "tenon" ? require.resolve("tenon/package.json") : ownFile());
}

/** The folders with the code of the command and of the Tenon that it uses, with a separator at the end. It is not the author's. */
export function ownFolders(): readonly string[] {
  const packages = [packageFolder("tenon-cli"), packageFolder("tenon")];
  return packages.flatMap((folder) => ["dist", "src"].map((part) => join(folder, part) + sep));
}
