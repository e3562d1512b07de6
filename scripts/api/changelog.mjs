// Whether a change of the API has its entry in the changelog: between the commit that a branch began at and what is in the folder.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The entries of the section Unreleased: its list items, each with the lines that continue it. */
export function unreleasedOf(changelog) {
  const [, section] = /^## Unreleased\n([^]*?)(?=^## |$(?![^]))/m.exec(changelog) ?? [];
  return entriesOf(section);
}

/** These, and those of a version without a date: it has not been released yet, and says what there is. */
function writtenOf(changelog) {
  const [, sections] = /^## Unreleased\n([^]*?)(?=^## .*\d\)$|$(?![^]))/m.exec(changelog) ?? [];
  return entriesOf(sections);
}

function entriesOf(section = "") {
  return section
    .split(/^(?=- )/m)
    .filter((item) => item.startsWith("- "))
    .map((item) => item.replace(/\n#[^]*$/, "").trim());
}

/**
 * A sentence if files of `api/` differ from those of `base` and no version to come has an entry that it did not have there; undefined if all is
 * right, or if git does not know (`base` is the commit before; without one, the branch's beginning or the last commit).
 */
export function changelogFault(root, base = baseOf(root)) {
  if (base === undefined || git(root, "ls-tree", base, "api/") === "") return undefined;
  const changed = git(root, "diff", "--name-only", base, "--", "api");
  if (changed === undefined || changed === "") return undefined;
  const before = writtenOf(git(root, "show", `${base}:CHANGELOG.md`) ?? "");
  const now = writtenOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
  if (now.some((entry) => !before.includes(entry))) return undefined;
  return `${changed.split("\n").join(", ")} differ from those of ${base.slice(0, 8)}, and CHANGELOG.md says nothing about it: write an entry under "## Unreleased" that says what changes for users, and what they do; before the first release, under its version.`;
}

/** The commit to compare with: where the branch began; on main the commit before the last, or the last one if there are changes. */
function baseOf(root) {
  const [head, began] = [git(root, "rev-parse", "HEAD"), git(root, "merge-base", "HEAD", "origin/main")];
  if (head === undefined) return undefined;
  if (began !== undefined && began !== head) return began;
  return git(root, "status", "--porcelain", "--", "api") === "" ? git(root, "rev-parse", "--verify", "HEAD^") : head;
}

/** What git prints, without the end of the last line; undefined if it fails. */
function git(root, ...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trimEnd() : undefined;
}
