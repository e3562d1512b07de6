/** The work of `tenon bundle`: starts the server for its list of tools, gathers the files, and writes them into one file. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { zipSync, type Zippable } from "fflate";
import { collect } from "../commands/collect.ts";
import { withServer } from "../connection/connection.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { loadedFiles } from "./loaded-files.ts";
import { manifestOf, RUNNER } from "./bundle-manifest.ts";
import { assertSize, dependencyFiles, ownFiles, type BundledFiles } from "./package-files.ts";
import { projectOf, variablesOf } from "./project.ts";

/** All files have the same time, so that the same files make the same bytes. Zip knows no earlier one. */
const TIME = new Date(1980, 0, 1);
/** How many of the packages are shown. */
const SHOWN = 5;

export async function makeBundle(invocation: Invocation): Promise<Outcome> {
  const { cwd, env } = invocation.shell;
  const project = await projectOf(invocation);
  const variables = variablesOf(invocation);
  const listing = await withServer(invocation, [], (client) => collect(client, invocation.signal));
  const manifest = manifestOf(project, listing, variables);
  const output = invocation.values.output ?? `${String(manifest["name"])}-${String(manifest["version"])}.mcpb`;
  if (!output.endsWith(".mcpb")) throw new UsageError(`The name of a bundle ends in .mcpb, not ${JSON.stringify(output)}.`);
  if (!existsSync(dirname(resolve(cwd, output)))) throw new UsageError(`${output} cannot be written: its folder does not exist.`);
  const own = await ownFiles(project.folder, env);
  if (!own.has(project.file))
    throw new UsageError(`npm would not publish ${project.file}: add it to "files" of package.json, or bundle a file that is published.`);
  const installed = await dependencyFiles(project.folder, env);
  if (!installed.has(RUNNER)) throw new UsageError('The bundle starts the server with the command: run "npm install -D tenon-cli" first.');
  const packages = loadedFiles(own, installed, [RUNNER]);
  const files: BundledFiles = new Map([...own, ...packages]);
  files.set("manifest.json", new TextEncoder().encode(`${JSON.stringify(manifest, undefined, 2)}\n`));
  const bytes = assertSize(files);
  const zipped = zipSync(zippable(files), { level: 9, mtime: TIME });
  await writeFile(resolve(cwd, output), zipped);
  const json = { file: output, size: zipped.length, unpacked: bytes, files: [...own.keys()], packages: sizesOf(packages), manifest };
  return { json, text: (paint) => describe(json, paint("bold", output)) };
}

function zippable(files: BundledFiles): Zippable {
  const sorted = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, content]) => [path, [content, { os: 3, attrs: 0o100644 << 16 }]]));
}

/** Bytes by the names of the packages, the largest first. */
function sizesOf(files: BundledFiles): { readonly [name: string]: number } {
  const sizes = new Map<string, number>();
  for (const [path, content] of files) {
    const name = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? path;
    sizes.set(name, (sizes.get(name) ?? 0) + content.length);
  }
  return Object.fromEntries([...sizes].toSorted(([, a], [, b]) => b - a));
}

interface Made {
  readonly size: number;
  readonly unpacked: number;
  readonly files: readonly string[];
  readonly packages: { readonly [name: string]: number };
}

const kib = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`;

function describe({ size, unpacked, files, packages }: Made, output: string): string {
  const names = Object.keys(packages);
  const more = names.length > SHOWN ? [`  and ${names.length - SHOWN} more`] : [];
  return [
    ...files.map((file) => `  ${file}`),
    "",
    `${names.length} packages, with their sizes:`,
    ...names.slice(0, SHOWN).map((name) => `  ${name} ${kib(packages[name]!)}`),
    ...more,
    "",
    `${output}: ${kib(size)}, unpacked ${kib(unpacked)}`,
  ].join("\n");
}
