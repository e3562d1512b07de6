// `npm create tenon`: the package as npm installs it, with the Tenon that it names. Needs a build.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { install, outsideFolder, pack, root, tenonFolder, write } from "./packed.ts";

const creator = join(root, "packages", "create-tenon");
const versionOf = (folder: string): { version: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as never; // our own files

test("it has the version of Tenon, and names that one", () => {
  const { version, dependencies } = versionOf(creator);
  expect([version, dependencies]).toEqual([versionOf(tenonFolder).version, { tenon: version }]);
});

test("the packed package writes a project", async () => {
  const { path: folder, remove } = outsideFolder();
  onTestFinished(remove);
  const [tenon, create] = await Promise.all([pack("tenon", folder), pack("create-tenon", folder)]);
  // The version in the registry is not this one, so the tarball takes its place.
  write(folder, {
    "package.json": {
      private: true,
      dependencies: { tenon: `file:${tenon}`, "create-tenon": `file:${create}` },
      overrides: { tenon: "$tenon" },
    },
  });
  await install(folder);
  const create1 = (...args: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [join(folder, "node_modules", "create-tenon", "create-tenon.mjs"), ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  expect(create1("weather", "--yes", "--transport", "http", "--docker")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("cd weather") as string,
  });
  expect(readdirSync(join(folder, "weather")).sort()).toEqual(
    [".dockerignore", ".gitignore", "Dockerfile", "README.md", "package.json", "src", "test", "tsconfig.json"].sort(),
  );
  expect(create1("weather", "--yes")).toMatchObject({ status: 2, stderr: expect.stringContaining("Nothing was written") as string });
}, 300_000);
