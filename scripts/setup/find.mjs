// Whether a part of the table (parts.mjs) is on this machine, and where.
//
// A program is looked for in PATH first. The folders of the system that the table names count only where PATH holds the system's
// own programs: with a PATH that has a few chosen programs and no more, as the first stage of .ci/run makes it, nothing else is found.
// `TENON_WITHOUT="papers disk"` does as if these parts were missing; tests that need them are then left out in CI too.
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PARTS } from "./parts.mjs";

export const root = fileURLToPath(new URL("../../", import.meta.url));
const SYSTEM = "/usr/bin";

/** What is here does not come and go while tests run, and many files ask. */
const known = new Map();

export function has(part) {
  if (isDoneWithout(part)) return false;
  if (!known.has(part)) known.set(part, isHere(part));
  return known.get(part);
}

export function isDoneWithout(part) {
  return (process.env.TENON_WITHOUT ?? "").split(/[\s,]+/).includes(part);
}

function isHere(part) {
  if (part === "linux") return process.platform === "linux";
  if (part === "disk") return process.getuid?.() === 0;
  const { programs, npm, files = [], folders } = PARTS[part];
  if (programs !== undefined) return programs.every((program) => programOf(part, program) !== undefined);
  if (npm !== undefined) return isInstalled(npm);
  if (folders !== undefined) return folderOf(part) !== undefined;
  return files.every((file) => existsSync(join(root, file)));
}

export function programOf(part, program = PARTS[part].programs[0]) {
  const { variable, places = [] } = PARTS[part];
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined) return isProgram(named) ? named : undefined;
  const inPath = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const folders = inPath.includes(SYSTEM) ? [...inPath, ...places.flatMap(expanded)] : inPath;
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

export function folderOf(part) {
  const { folders, git } = PARTS[part];
  return folders
    .map((folder) => join(root, folder))
    .find((folder) => Object.values(git.files).every((file) => existsSync(join(folder, file))));
}

/** A place with one `*` is a folder for each version that is installed; the newest comes first. */
function expanded(place) {
  if (!place.includes("*")) return [place];
  const [above, below] = place.split("/*/");
  if (!existsSync(above)) return [];
  return readdirSync(above)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(above, version, below));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether npm has installed what the lock file of a folder says, but for what is for other platforms. */
export function isInstalled(folder) {
  const [lock, installed] = [join(root, folder, "package-lock.json"), join(root, folder, "node_modules/.package-lock.json")];
  if (!existsSync(installed)) return false;
  const [wanted, there] = [lock, installed].map((file) => JSON.parse(readFileSync(file, "utf8")).packages);
  const own = Object.entries(wanted).filter(([path]) => path !== "");
  const isThere = ([path, { version }]) => there[path]?.version === version && existsSync(join(root, folder, path));
  // What only packages for other platforms need is not installed either.
  const needed = new Set(Object.values(there).flatMap((one) => Object.keys({ ...one.dependencies, ...one.optionalDependencies })));
  const isNeeded = (path) => needed.has(path.split("node_modules/").at(-1));
  return own.every((one) => isThere(one) || mayLack(one[1]) || (one[1].optional === true && !isNeeded(one[0])));
}

function mayLack({ optional, os, cpu, libc }) {
  if (optional !== true) return false;
  return (os && !os.includes(process.platform)) || (cpu && !cpu.includes(process.arch)) || libc !== undefined;
}

export function howToGet(parts) {
  const asked = parts.flatMap((part) => PARTS[part].ask ?? []);
  const brought = parts.filter((part) => PARTS[part].ask === undefined);
  const command = brought.length === 0 ? [] : [`npm run setup -- ${brought.join(" ")}`];
  return [...command, ...asked].join("; ");
}
