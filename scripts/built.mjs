// Whether there is anything to build: a build leaves in out/ a hash of all that it read and all that it wrote, and the next one does nothing
// if both are as they were. Files are compared by what is in them: a changed date costs no build, and a `dist/` changed by hand does.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "./places.mjs";

/** What a build reads and writes. The packages that are installed count by npm's list of them. */
const FOLDERS = ["packages", "scripts", "docs"];
const FILES = ["README.md", "CHANGELOG.md", "LICENSE", "tsconfig.json", "site/texts.mjs", "node_modules/.package-lock.json"];
/** What it does not: tests, and what other commands make. */
const OTHER = /^packages\/[^/]+\/(node_modules|test)$|^docs\/(reference|\.vitepress)$/;

/** The files below a folder, in the order of their names. */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return OTHER.test(path) ? [] : filesIn(root, path);
      return entry.isFile() ? [path] : [];
    });
}

function hashOf(root) {
  const hash = createHash("sha256").update(process.version);
  const files = [...FILES.filter((name) => existsSync(join(root, name))), ...FOLDERS.flatMap((folder) => filesIn(root, folder))];
  for (const path of files) hash.update(`\n${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest("hex");
}

const markOf = (root) => join(root, "out/built");

/** Whether the last build would be repeated. */
export function isBuilt(root = repository) {
  return existsSync(markOf(root)) && readFileSync(markOf(root), "utf8") === hashOf(root);
}

/** Keeps what was built as the last build. */
export function markBuilt(root = repository) {
  mkdirSync(dirname(markOf(root)), { recursive: true });
  writeFileSync(markOf(root), hashOf(root));
}
