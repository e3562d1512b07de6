// A release from end to end, by its own command: from a clone to a registry on loopback, and from there to the programs of a
// newcomer. `npm run setup -- registry` brings the registry. Needs the registry that npm is set to, too.
import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryReadme } from "../../scripts/release/readme.mjs";
import { needs } from "../../packages/tenon/test/support/needs.ts";
import { startRegistry, type Registry } from "./registry.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
// our own file
const { version } = JSON.parse(readFileSync(join(root, "packages/tenon/package.json"), "utf8")) as { version: string };
const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-release-")));
const clone = join(folder, "clone");
let registry: Registry;

/** Runs a program to its end; what it printed, on both streams, and its exit code. */
async function run(cwd: string, command: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const env = {
    ...process.env,
    ...registry.env,
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.com",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.com",
  };
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }; // what execFile rejects with
    return { code, said: stdout + stderr };
  }
}

const release = (...args: string[]): Promise<{ code: number; said: string }> =>
  run(clone, process.execPath, "scripts/release.mjs", "--without-check", "--registry", registry.url, ...args);
const git = (cwd: string, ...args: string[]): string => spawnSync("git", args, { cwd, encoding: "utf8" }).stdout.trim();
const published = async (name: string): Promise<number> => (await fetch(`${registry.url}/${name}`)).status;

/** Lays out a folder of packages by links to those of another. Relative links in it lead to the packages of the clone. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (/^(@|\.bin$)/.test(entry.name)) linkPackages(source, target);
    else symlinkSync(source, target);
  }
}

/** A clone on the branch main, with an origin of its own and the packages that are installed here. */
function makeClone(): void {
  const origin = join(folder, "origin.git");
  git(folder, "clone", "--quiet", "--bare", root, origin);
  git(origin, "branch", "--force", "main", git(root, "rev-parse", "HEAD"));
  git(origin, "symbolic-ref", "HEAD", "refs/heads/main");
  for (const tag of git(origin, "tag").split("\n").filter(Boolean)) git(origin, "tag", "--delete", tag);
  git(folder, "clone", "--quiet", origin, clone);
  linkPackages(join(root, "node_modules"), join(clone, "node_modules"));
}

// In this order wherever it runs: each test goes on from what the one before has published.
describe("A release to a registry on loopback", { shuffle: false }, () => {
  const isHere = needs("registry");

  beforeAll(async () => {
    if (!isHere) return;
    registry = await startRegistry(join(folder, "registry"));
    makeClone();
  }, 600_000);
  afterAll(async () => {
    if (isHere) await registry.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }, 600_000);

  test("a dry run says what it would do, and changes nothing", async () => {
    const before = git(clone, "rev-parse", "HEAD");
    const { code, said } = await release("--dry-run");
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining("programs of the README print what it says") as string,
    });
    expect(said).toContain(`would npm publish out/release/tenon-${version}.tgz --access public --registry ${registry.url}`);
    expect(said).toContain(`would commit "Release ${version}" and tag v${version}`);
    expect([git(clone, "status", "--porcelain"), git(clone, "rev-parse", "HEAD"), git(clone, "tag")]).toEqual(["", before, ""]);
    expect([await published("tenon"), await published("create-tenon")]).toEqual([404, 404]);
  }, 900_000);

  test("it refuses a tree that is not clean, another branch, and leaving the tests out for another registry", async () => {
    const file = join(clone, "new.txt");
    cpSync(join(clone, ".nvmrc"), file);
    expect(await release()).toMatchObject({ code: 1, said: expect.stringContaining("git stash -u") as string });
    rmSync(file);
    git(clone, "switch", "--quiet", "--create", "other");
    expect(await release()).toMatchObject({ code: 1, said: expect.stringContaining("git switch main") as string });
    git(clone, "switch", "--quiet", "main");
    expect(await release("next")).toMatchObject({ code: 1, said: expect.stringContaining('"next" is not a version') as string });
  });

  test("a release publishes every package, and tags what it published; run again, it publishes nothing twice", async () => {
    const { code, said } = await release();
    expect({ code, said }).toMatchObject({ code: 0 });
    expect([await published("tenon"), await published("create-tenon")]).toEqual([200, 200]);
    expect(git(join(folder, "origin.git"), "log", "-1", "--format=%s", `v${version}`)).toBe(`Release ${version}`);
    expect(git(join(folder, "origin.git"), "show", `v${version}:CHANGELOG.md`)).toMatch(
      new RegExp(`^## ${version.replaceAll(".", "\\.")} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, "m"),
    );
    const again = await release();
    expect({ code: again.code, twice: again.said.match(/was there already/g)?.length }).toEqual({
      code: 0,
      twice: said.match(/: published/g)!.length,
    });
  }, 1_200_000);

  test("after a release the next one wants a version, and an entry in the changelog", async () => {
    git(clone, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--allow-empty", "-m", "Begin");
    expect(await release()).toMatchObject({
      code: 1,
      said: expect.stringContaining("npm run release -- patch, minor, major") as string,
    });
    expect(await release("minor")).toMatchObject({
      code: 1,
      said: expect.stringContaining('no entry under "## Unreleased"') as string,
    });
  });

  test("npm install tenon tenon-cli zod tsx: the programs of the README print what it says", () => {
    expect(tryReadme(root, ["tenon", "tenon-cli"], registry.env)).toMatch(/^[1-9]\d* programs/);
  }, 600_000);

  test.each([
    ["npm create tenon", ["npm", "create", "--yes", "tenon", "weather", "--", "--yes"]],
    ["tenon init", ["npx", "--yes", "tenon", "init", "weather", "--yes"]],
  ])(
    "%s writes a project that installs from the registry, and passes its own test",
    async (name, [command, ...args]) => {
      const place = join(folder, name.replaceAll(" ", "-"));
      mkdirSync(place);
      expect(await run(place, command!, ...args)).toMatchObject({
        code: 0,
        said: expect.stringContaining("cd weather") as string,
      });
      const project = join(place, "weather");
      expect(JSON.parse(readFileSync(join(project, "package.json"), "utf8"))).toMatchObject({
        dependencies: { tenon: `^${version}` },
      });
      expect(await run(project, "npm", "install", "--no-audit", "--no-fund")).toMatchObject({ code: 0 });
      expect(await run(project, "npx", "tenon", "call", "src/server.ts", "add", "--arg", "a=1", "--arg", "b=2")).toMatchObject({
        code: 0,
        said: expect.stringContaining('"sum": 3') as string,
      });
      expect(await run(project, "npm", "test")).toMatchObject({ code: 0, said: expect.stringContaining("2 passed") as string });
    },
    600_000,
  );
});
