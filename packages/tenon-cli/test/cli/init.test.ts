// `tenon init`: every combination type-checks; what is written passes its own test, and is served.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { tenonAtTerminal } from "./at-terminal.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 120_000 });

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** A folder in which "tenon" is found as the package that was built. */
function workshop(name: string): string {
  const folder = join(root, "out", `init-${name}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(root, "packages/tenon"), join(folder, "node_modules", "tenon"));
  writeFileSync(join(folder, "vitest.config.mjs"), "export default {};"); // the one of this repository would be found above it
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const node = (cwd: string, ...args: string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, args, { cwd, encoding: "utf8", env: { PATH: process.env["PATH"] } });

test("every combination type-checks", async () => {
  const folder = workshop("types");
  const names: string[] = [];
  for (const transport of ["stdio", "http", "both"]) {
    for (const schema of ["zod", "valibot", "json"]) {
      const name = `${transport}-${schema}`;
      names.push(name);
      const made = await runCommand(["init", name, "--yes", "--transport", transport, "--schema", schema, "--docker"], {
        cwd: folder,
      });
      expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`cd ${name}`) as string });
    }
  }
  const settings = JSON.parse(readFileSync(join(folder, names[0]!, "tsconfig.json"), "utf8")) as object;
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...settings, include: names }));
  expect(node(folder, join(root, "node_modules/typescript/bin/tsc"), "-p", folder)).toMatchObject({ status: 0, stdout: "" });
});

test.each(["zod", "valibot", "json"])("a project with %s passes its own test, and is served", async (schema) => {
  const folder = workshop(schema);
  await runCommand(["init", "sums", "--yes", "--schema", schema], { cwd: folder });
  const project = join(folder, "sums");
  const tested = node(project, join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", project);
  expect({ status: tested.status, output: tested.stdout }).toEqual({
    status: 0,
    output: expect.stringMatching(/2 passed/) as string,
  });
  const called = await runCommand(["call", "src/server.ts", "add", "--arg", "a=1", "--arg", "b=2"], { cwd: project });
  expect(called).toMatchObject({ code: 0, stdout: '{\n  "sum": 3\n}\n' });
  expect(readFileSync(join(project, "src/server.ts"), "utf8").split("\n").length).toBeLessThan(30);
});

test("nothing is replaced, and then nothing is written", async () => {
  const folder = workshop("taken");
  mkdirSync(join(folder, "sums"));
  writeFileSync(join(folder, "sums", "README.md"), "mine");
  expect(await runCommand(["init", "sums", "--yes"], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("README.md") as string,
  });
  expect(readdirSync(join(folder, "sums"))).toEqual(["README.md"]);
});

test.each([
  [["--transport", "pipe"], "--transport must be one of stdio, http, both"],
  [["--schema", "yup"], "--schema must be one of zod, valibot, json"],
  [["--author", " "], "--author must not be empty"],
  [["--name", "A b"], "cannot be the name of a package"],
])("%j is refused", async (args, why) => {
  const folder = workshop("wrong");
  expect(await runCommand(["init", "x", "--yes", ...args], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(why) as string,
  });
  expect(existsSync(join(folder, "x"))).toBe(false);
});

test.each([
  ["an option", { npm_config_init_author_name: "Grace" }, ["--author", "Ada <ada@example.com>"], "Ada <ada@example.com>"],
  ["a setting of npm", { npm_config_init_author_name: "Grace" }, [], "Grace"],
  ["git", { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Emmy" }, [], "Emmy"],
  [
    "the user of this machine",
    { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "" },
    [],
    userInfo().username,
  ],
])("the author is known from %s", async (_from, env, args, author) => {
  const folder = workshop("author");
  expect(await runCommand(["init", "sums", "--yes", "--description", "Sums", ...args], { cwd: folder, env })).toMatchObject({
    code: 0,
  });
  expect(JSON.parse(readFileSync(join(folder, "sums/package.json"), "utf8"))).toMatchObject({ description: "Sums", author });
});

test("the next command is right for a folder with a space, and Ctrl-C ends the container's server", async () => {
  const folder = workshop("space");
  const made = await runCommand(["init", "my server", "--yes", "--transport", "http", "--docker"], { cwd: folder });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('  cd "my server"\n') as string });
  // The first process of a container takes no signal that it does not handle.
  expect(readFileSync(join(folder, "my server/src/main.ts"), "utf8")).toContain('["SIGTERM", "SIGINT"]');
});

test("what no option says is asked for", async (context) => {
  assertHas(context, "script");
  const folder = join(workshop("asked"), "news");
  const { code, stdout } = await tenonAtTerminal(
    ["init", folder, "--transport", "http", "--json"],
    [
      ["Name of the server [news]: ", "\r"],
      ["Description [An MCP server]: ", "Headlines of today\r"],
      ["Author [", "Ada\r"],
      ["[zod]: ", "yup\r"],
      ["[zod]: ", "json\r"],
      ["With a test? [Y/n]: ", "n\r"],
      ["With a Dockerfile? [y/N]: ", "y\r"],
    ],
  );
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    name: "news",
    description: "Headlines of today",
    author: "Ada",
    transport: "http",
    schema: "json",
    tests: false,
    docker: true,
  });
  expect(existsSync(join(folder, "Dockerfile"))).toBe(true);
});
