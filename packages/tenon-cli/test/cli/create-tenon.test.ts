// `npm create tenon`: the package as npm installs it, with the Tenon that it names. Needs a build.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { install, outsideFolder, pack, packageFolder, write } from "./packed.ts";

const versionOf = (folder: string): { version: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as never; // our own files

test("all packages have one version, and name that one", () => {
  const { version } = versionOf(packageFolder("tenon"));
  expect(versionOf(packageFolder("tenon-cli"))).toMatchObject({ version, dependencies: { tenon: version } });
  expect(versionOf(packageFolder("create-tenon"))).toMatchObject({ version, dependencies: { "tenon-cli": version } });
});

test("the packed package writes a project", async () => {
  const { path: folder, remove } = outsideFolder();
  onTestFinished(remove);
  const [library, command, create] = await Promise.all(["tenon", "tenon-cli", "create-tenon"].map((name) => pack(name, folder)));
  // The versions in the registry are not these, so the tarballs take their place.
  write(folder, {
    "package.json": {
      private: true,
      dependencies: { tenon: `file:${library}`, "tenon-cli": `file:${command}`, "create-tenon": `file:${create}` },
      overrides: { tenon: "$tenon", "tenon-cli": "$tenon-cli" },
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
    [
      ".dockerignore",
      ".gitignore",
      "AGENTS.md",
      "Dockerfile",
      "README.md",
      "package.json",
      "src",
      "test",
      "tsconfig.json",
    ].sort(),
  );
  expect(create1("weather", "--yes")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("Nothing was written") as string,
  });
}, 300_000);
