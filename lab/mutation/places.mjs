// Where a guard stands in the source, and whether the source is still a program without it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

/** The files below a folder of `root` that have a text, once for each time that they have it. */
export function placesOf(root, { folder, find }) {
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return names.flatMap((name) => {
    const file = join(folder, name);
    return Array.from({ length: readFileSync(join(root, file), "utf8").split(find).length - 1 }, () => file);
  });
}

/**
 * What makes a file that has the guard no program without it; undefined if nothing does. A file that cannot be loaded shows
 * nothing.
 */
export function brokenWithout(root, { folder, find, replace }) {
  const [file] = placesOf(root, { folder, find });
  const text = readFileSync(join(root, file), "utf8").replace(find, () => replace);
  return parseSync(file, text).errors[0]?.message;
}
