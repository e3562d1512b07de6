// Where a guard stands in the source.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files below a folder of `root` that have a text, once for each time that they have it. */
export function placesOf(root, { folder, find }) {
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  return names.flatMap((name) => {
    const file = join(folder, name);
    return Array.from({ length: readFileSync(join(root, file), "utf8").split(find).length - 1 }, () => file);
  });
}
