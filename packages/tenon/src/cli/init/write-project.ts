/** The work of `tenon init`: writes a project whole or not at all, and replaces nothing. */
import { lstatSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { packageVersion } from "../version.ts";
import { projectChoiceOf } from "./project-choice.ts";
import { projectFiles, type Versions } from "./project-files.ts";

export async function init(invocation: Invocation): Promise<Outcome> {
  const choice = await projectChoiceOf(invocation);
  const files = projectFiles(choice, testedVersions());
  const taken = [...files.keys()].filter((path) => lstatSync(join(choice.folder, path), { throwIfNoEntry: false }) !== undefined);
  if (taken.length > 0)
    throw new UsageError(`Nothing was written, because this is there already: ${taken.join(", ")}. Name another folder.`);
  await writeAll(choice.folder, files);
  const folder = relative(process.cwd(), choice.folder);
  const manager = /^(pnpm|yarn|bun)\//.exec(process.env["npm_config_user_agent"] ?? "")?.[1] ?? "npm";
  const next = [
    ...(folder === "" ? [] : [`cd ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`]),
    `${manager} install`,
    "npx tenon call src/server.ts add --arg a=1 --arg b=2",
  ];
  const json = { ...choice, files: [...files.keys()], next };
  return {
    json,
    text: (paint) => [...json.files.map((path) => `  ${path}`), "", paint("bold", "Next:"), ...next.map((line) => `  ${line}`)].join("\n"),
  };
}

/** If one file cannot be written, those before it go again. */
async function writeAll(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const written: string[] = [];
  try {
    for (const [name, text] of files) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      // "wx" replaces nothing, also if the file has come about since it was looked for.
      await writeFile(path, text, { flag: "wx" });
      written.push(path);
    }
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true })));
    throw error;
  }
}

/** The versions that this release was tested with stand in its own `package.json`. */
function testedVersions(): Versions {
  const own = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { devDependencies: Versions }; // our own file
  return { ...own.devDependencies, tenon: packageVersion() };
}
