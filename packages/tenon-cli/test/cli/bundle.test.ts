// `tenon bundle`: the official tool takes what it makes, and the server in it starts without the project. Needs a build.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon";
import { install, linkPackages, outsideFolder, pack, PACKAGE, root, SERVER, write } from "./packed.ts";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 300_000 });

const outside = outsideFolder();
/** A project whose dependencies are installed. */
const project = join(outside.path, "project");
// checked by the official tool
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest;

interface Manifest {
  readonly server: {
    readonly mcp_config: { readonly command: string; readonly args: string[]; readonly env: { [name: string]: string } };
  };
}

beforeAll(async () => {
  const [library, command] = await Promise.all([pack("tenon", outside.path), pack("tenon-cli", outside.path)]);
  write(project, {
    "package.json": {
      ...PACKAGE,
      dependencies: { tenon: `file:${library}` },
      devDependencies: { "tenon-cli": `file:${command}` },
    },
    "src/server.ts": SERVER,
    ".env": "API_KEY=not-for-others",
  });
  await install(project);
}, 300_000);
afterAll(outside.remove);

const mcpb = (...args: string[]): string =>
  execFileSync(process.execPath, [join(root, "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"), ...args], {
    encoding: "utf8",
    stdio: "pipe",
  });

test("the official tool takes a bundle, the server in it answers, and the same files make the same bytes", async () => {
  const [file, again] = [join(outside.path, "weather.mcpb"), join(outside.path, "again.mcpb")];
  const env = { API_KEY: "s3cret-value" };
  const made = await runCommand(["bundle", "src/server.ts", "--env", "API_KEY", "-o", file], { cwd: project, env });
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/  src\/server\.ts\n[^]*tenon \d+ KiB[^]*unpacked \d+ KiB/) as string,
  });
  expect(made.stdout).not.toContain(".env");
  const unpacked = join(outside.path, "unpacked");
  mcpb("unpack", file, unpacked);
  expect(mcpb("validate", join(unpacked, "manifest.json"))).toContain("passes");
  expect(readdirSync(unpacked).sort()).toEqual(["manifest.json", "node_modules", "package.json", "src"]);
  expect(readFileSync(join(unpacked, "manifest.json"), "utf8")).not.toContain("s3cret-value");
  // What the server does not need: the rest of the command, documentation, types, maps, and packages of other subpaths.
  const packed = readdirSync(join(unpacked, "node_modules"), { recursive: true, encoding: "utf8" });
  expect(packed.filter((path) => /\.(map|md|d\.[cm]?ts)$|inspector/.test(path) && !/licen[cs]e|THIRD-PARTY/i.test(path))).toEqual(
    [],
  );
  expect(packed.filter((path) => path === "yaml" || path === "oauth4webapi")).toEqual([]);
  expect(packed).toContain(join("tenon-cli", "dist", "serve-file.js"));
  expect(packed).not.toContain(join("tenon", "dist", "cli", "main.js"));
  const manifest = manifestOf(unpacked);
  expect(manifest).toMatchObject({
    name: "acme-weather",
    display_name: "Weather",
    version: "1.2.3",
    author: { name: "Ann", email: "ann@example.com", url: "https://example.com" },
    tools: [{ name: "forecast", description: "Tomorrow's weather" }],
    user_config: { API_KEY: { sensitive: true, required: true } },
  });
  // As a host starts it, after the user has filled in the key, and without the project.
  const { command, args, env: variables } = manifest.server.mcp_config;
  const filled = Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replace("${user_config.API_KEY}", "k-1")]),
  );
  rmSync(join(project, "src"), { recursive: true });
  const client = await connect({
    command,
    args: args.map((word) => word.replace("${__dirname}", unpacked)),
    env: filled,
    cwd: outside.path,
  });
  expect((await client.callTool("forecast", { city: "Oslo" })).text).toBe("Sunny in Oslo, k-1");
  await client.close();
  write(project, { "src/server.ts": SERVER });
  await runCommand(["bundle", "src/server.ts", "--env", "API_KEY", "-o", again, "--json"], { cwd: project, env });
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
});

test("an add-on for one platform is refused", async () => {
  const addOn = join(project, "node_modules", "re2js", "addon.node");
  writeFileSync(addOn, "binary");
  onTestFinished(() => rmSync(addOn));
  expect(await runCommand(["bundle", "src/server.ts"], { cwd: project })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("node_modules/re2js/addon.node works on one platform only") as string,
  });
});

const AWS = ["AKIA", "ABCDEFGHIJKLMNOP"].join(""); // in two pieces, so that nothing takes this file for a secret
test.each<[string, { args?: string[]; own?: object; files?: { [path: string]: string } }, string]>([
  ["a key in a file", { files: { "src/server.key": "x" } }, "src/server.key looks like a secret"],
  ["a variable file", { files: { "src/.env.local": "x" } }, "src/.env.local looks like a secret"],
  [
    "a text that looks like a key",
    { files: { "src/aws.ts": `export const key = "${AWS}";` } },
    "src/aws.ts has a text that looks like a secret",
  ],
  ["no author", { own: { author: undefined } }, 'package.json has no "author", which hosts show.'],
  ["no description", { own: { description: undefined } }, 'package.json: "description": "What the server does"'],
  [
    "a package without a name, a version and a named author",
    { own: { name: undefined, version: 1, author: {} } },
    'package.json has no "name", "version", "author", which hosts show.',
  ],
  ["a file that npm leaves out", { own: { files: ["dist"] } }, "npm would not publish src/server.ts"],
  [
    "a variable that is not set",
    { args: ["--env", "TENON_UNSET_KEY"] },
    "--env TENON_UNSET_KEY has no value here: set TENON_UNSET_KEY",
  ],
  ["a value", { args: ["--env", "API_KEY=secret"] }, "A value does not belong in what others get: write --env API_KEY"],
  [
    "a folder that is not there",
    { args: ["-o", "nowhere/weather.mcpb"] },
    "weather.mcpb cannot be written: its folder does not exist.",
  ],
  ["another ending", { args: ["-o", "weather.zip"] }, "The name of a bundle ends in .mcpb"],
  ["a linked package", {}, "is a linked package"],
])("%s is refused, and nothing is written", async (_what, { args = [], own = {}, files = {} }, why) => {
  const folder = outsideFolder();
  onTestFinished(folder.remove);
  write(folder.path, {
    "package.json": { ...PACKAGE, dependencies: { tenon: "*" }, ...own },
    "src/server.ts": SERVER,
    ...files,
  });
  linkPackages(folder.path, "tenon", "tenon-cli");
  const refused = await runCommand(["bundle", "src/server.ts", ...args], { cwd: folder.path });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
  expect(refused.stderr).not.toContain(AWS);
  expect(readdirSync(folder.path).filter((name) => /mcpb|zip/.test(name))).toEqual([]);
});
