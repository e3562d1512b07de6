/** The work of `tenon init`: writes a project whole or not at all, and replaces nothing. */
import { lstatSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { packageFolder, packageVersion, testedVersions } from "../version.ts";
import { installedFrom, type Place } from "./installed-from.ts";
import { projectChoiceOf } from "./project-choice.ts";
import { projectFiles } from "./project-files.ts";

/** What a project gets Tenon from: the library, and the command that it is developed with. */
const NAMES = ["tenon", "tenon-cli"] as const;

export async function init(invocation: Invocation): Promise<Outcome> {
  const { cwd, env } = invocation.shell;
  const choice = await projectChoiceOf(invocation);
  const [place, command] = NAMES.map((name) => installedFrom(packageFolder(name), packageVersion())) as [Place, Place]; // of two names
  const files = projectFiles(choice, testedVersions(), { tenon: place.range, "tenon-cli": command.range });
  const taken = [...files.keys()].filter((path) => lstatSync(join(choice.folder, path), { throwIfNoEntry: false }) !== undefined);
  if (taken.length > 0)
    throw new UsageError(`Nothing was written, because this is there already: ${taken.join(", ")}. Name another folder.`);
  await writeAll(choice.folder, files);
  const folder = relative(cwd, choice.folder);
  const manager = /^(pnpm|yarn|bun)\//.exec(env["npm_config_user_agent"] ?? "")?.[1] ?? "npm";
  const next = [
    ...(place.first === undefined ? [] : [place.first]),
    ...(folder === "" ? [] : [`cd ${/\s/.test(folder) ? JSON.stringify(folder) : folder}`]),
    `${manager} install`,
    "npx tenon call src/server.ts add --arg a=1 --arg b=2",
  ];
  const json = { ...choice, tenon: place.range, files: [...files.keys()], next };
  const note = place.note === undefined ? [] : [place.note, ""];
  return {
    json,
    text: (paint) =>
      [...json.files.map((path) => `  ${path}`), "", ...note, paint("bold", "Next:"), ...next.map((line) => `  ${line}`)].join("\n"),
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
