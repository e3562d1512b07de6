// Which version a release has, and what its number changes: the manifests of all packages, the lock file and the changelog. Nothing is
// written here: `changesOf` returns texts by their files.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { unreleasedOf } from "../api/changelog.mjs";
import { installingPages } from "../installing.mjs";
import { packagesOf } from "../package/packages.mjs";

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** The version of all packages. @throws Error if they differ */
export function currentVersion(root) {
  const versions = packagesOf(root).map(({ manifest }) => `${manifest.name} ${manifest.version}`);
  const [first] = packagesOf(root);
  if (versions.some((each) => !each.endsWith(` ${first.manifest.version}`)))
    throw new Error(`All packages have one version, and these differ: ${versions.join(", ")}. Write the same one into each package.json.`);
  return first.manifest.version;
}

/**
 * The version to release.
 * @param isTagged whether the current version has a tag. If it has none, it was never released, and is what comes next.
 */
export function nextVersion(current, wanted, isTagged) {
  if (wanted === undefined) {
    if (!isTagged) return current;
    throw new Error(
      `${current} is released. Say what comes next: npm run release -- patch, minor, major, or a version. docs/project/versions.md says which.`,
    );
  }
  const [, major, minor, patch] = VERSION.exec(current).map(Number);
  const next = { patch: `${major}.${minor}.${patch + 1}`, minor: `${major}.${minor + 1}.0`, major: `${major + 1}.0.0` }[wanted] ?? wanted;
  if (!VERSION.test(next))
    throw new Error(`${JSON.stringify(next)} is not a version: npm run release -- patch, minor, major, or a version such as 1.2.3.`);
  if (isTagged && !isAfter(next, current)) throw new Error(`${next} is not after ${current}, which is released.`);
  return next;
}

function isAfter(version, other) {
  const [a, b] = [version, other].map((each) => VERSION.exec(each).slice(1).map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** What a release writes: `{ files, notes }`, texts by their paths from the root, and what a reader should know of them. */
export function changesOf(root, version, { isFirst, date }) {
  const files = new Map();
  const packages = packagesOf(root);
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  for (const { folder } of packages) {
    const path = relative(root, join(folder, "package.json"));
    files.set(path, withVersion(readFileSync(join(root, path), "utf8"), version, names));
  }
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const { folder } of packages) {
    const entry = lock.packages[relative(root, folder).replaceAll("\\", "/")];
    if (entry === undefined) continue;
    entry.version = version;
    for (const name of Object.keys(entry.dependencies ?? {})) if (names.has(name)) entry.dependencies[name] = version;
  }
  files.set("package-lock.json", `${JSON.stringify(lock, undefined, 2)}\n`);
  const { text, note } = cutChangelog(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version, { isFirst, date });
  files.set("CHANGELOG.md", text);
  for (const [page, content] of installingPages(root, "npm")) files.set(page, content);
  const changed = [...files].filter(([path, content]) => readFileSync(join(root, path), "utf8") !== content);
  return { files: new Map(changed), notes: [note] };
}

function withVersion(text, version, names) {
  const manifest = JSON.parse(text);
  let changed = text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`);
  for (const name of Object.keys(manifest.dependencies ?? {}))
    if (names.has(name)) changed = changed.replace(`"${name}": "${manifest.dependencies[name]}"`, `"${name}": "${version}"`);
  return changed;
}

/**
 * The changelog with the entries of Unreleased under the version. Before the first release there is no version that they change: its section says
 * what Tenon has, so entries of Unreleased are left out.
 */
export function cutChangelog(changelog, version, { isFirst, date }) {
  const entries = unreleasedOf(changelog).length;
  const [, before, unreleased, after] = /^([^]*?^## Unreleased\n)([^]*?)(^## [^]*|$(?![^]))/m.exec(changelog) ?? [];
  if (before === undefined) throw new Error('CHANGELOG.md has no "## Unreleased": write it above the newest version.');
  if (isFirst) {
    const heading = `## ${version}\n`;
    if (!after.startsWith(heading))
      throw new Error(`CHANGELOG.md must have "## ${version}" below Unreleased: it is the first version, and says what Tenon has.`);
    const note =
      entries === 0 ? "Unreleased is empty" : `${entries} entries of Unreleased are left out: there is no version that they change`;
    return { text: `${before}\n## ${version} (${date})\n${after.slice(heading.length)}`, note };
  }
  if (entries === 0)
    throw new Error('CHANGELOG.md has no entry under "## Unreleased": write what changes for users, or there is nothing to release.');
  return {
    text: `${before}\n## ${version} (${date})\n${unreleased}${after}`,
    note: `${entries} entries of Unreleased are those of ${version}`,
  };
}
