// What a release asks of git. Everything that changes the repository is here, too, and is called by no dry run.
import { spawnSync } from "node:child_process";

/** The output of git, trimmed. @throws Error with what git says */
function git(root, ...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr.trim()}`);
  return stdout.trim();
}

/** @throws Error that says what to do, if this is not a clean tree on main that has what its origin has */
export function assertReady(root) {
  const branch = git(root, "branch", "--show-current");
  if (branch !== "main")
    throw new Error(`This is ${branch === "" ? "no branch" : `the branch ${branch}`}. Releases come from main: git switch main`);
  const changed = git(root, "status", "--porcelain");
  if (changed !== "")
    throw new Error(`There are changes that are not committed:\n${changed}\nCommit them, or put them aside: git stash -u`);
  if (!git(root, "remote").split("\n").includes("origin")) return "no origin";
  git(root, "fetch", "--quiet", "--tags", "origin", "main");
  if (git(root, "rev-list", "--count", "HEAD..origin/main") !== "0")
    throw new Error("origin/main has commits that are not here: git pull --ff-only");
  return git(root, "log", "-1", "--format=%h %s");
}

export const isTagged = (root, version) => git(root, "tag", "--list", `v${version}`) !== "";

/** Whether the tag of a version is the commit that is checked out: a release that was interrupted goes on from there. */
export const isTaggedHere = (root, version) =>
  isTagged(root, version) && git(root, "rev-parse", `v${version}^{commit}`) === git(root, "rev-parse", "HEAD");

export function commitAndTag(root, version) {
  git(root, "add", "-A");
  if (git(root, "status", "--porcelain") !== "") git(root, "commit", "--quiet", "-m", `Release ${version}`);
  git(root, "tag", "-a", `v${version}`, "-m", `Tenon ${version}`);
}

export function pushTag(root, version) {
  git(root, "push", "--quiet", "--atomic", "origin", "HEAD:main", `v${version}`);
}
