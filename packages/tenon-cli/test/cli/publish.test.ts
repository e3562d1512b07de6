// `tenon publish --check`: the server.json of the registry, and the mistakes for which the registry refuses one. Needs a build.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { linkPackages, outsideFolder, PACKAGE, SERVER, write } from "./packed.ts";
import { runCommand } from "./run-command.ts";
import { type Ended } from "./start-command.ts";

vi.setConfig({ testTimeout: 120_000 });

const GOOD = {
  ...PACKAGE,
  mcpName: "io.github.acme/weather",
  bin: "src/server.ts",
  homepage: "https://weather.example.com",
  repository: { type: "git", url: "git+https://github.com/acme/weather.git", directory: "packages/server" },
};
const DOCUMENT = {
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: "io.github.acme/weather",
  title: "Weather",
  description: "Weather for models",
  version: "1.2.3",
  websiteUrl: "https://weather.example.com",
  repository: { url: "https://github.com/acme/weather", source: "github", subfolder: "packages/server" },
  packages: [
    {
      registryType: "npm",
      identifier: "@acme/weather",
      version: "1.2.3",
      runtimeHint: "npx",
      transport: { type: "stdio" },
      environmentVariables: [
        { name: "API_KEY", isRequired: true, isSecret: true },
        { name: "CITY", isRequired: true, isSecret: false },
      ],
    },
  ],
};

interface Checked extends Ended {
  readonly folder: string;
}

async function check(own: object, args: readonly string[] = [], document?: object): Promise<Checked> {
  const { path: folder, remove } = outsideFolder();
  onTestFinished(remove);
  write(folder, { "package.json": own, "src/server.ts": SERVER, ...(document && { "server.json": document }) });
  linkPackages(folder, "tenon");
  const ended = await runCommand(["publish", "src/server.ts", "--check", ...args], {
    cwd: folder,
    env: { API_KEY: "s3cret-value", CITY: "Oslo" },
  });
  return { ...ended, folder };
}

test("a document is made from the package and the server, and written", async () => {
  const { code, stdout, folder } = await check(GOOD, ["--env", "API_KEY", "--env", "CITY", "-o", "made.json"]);
  expect(stdout).toContain("The registry would take this (made from package.json)");
  expect(code).toBe(0);
  const text = readFileSync(join(folder, "made.json"), "utf8");
  expect(JSON.parse(text)).toEqual(DOCUMENT);
  expect(stdout + text).not.toContain("s3cret-value");
});

test("a server that runs already needs no package", async () => {
  const { code, stdout } = await check({ ...GOOD, private: true, bin: undefined }, [
    "--remote",
    "https://weather.example.com/mcp",
    "--json",
  ]);
  expect(code).toBe(0);
  const { document } = JSON.parse(stdout) as { document: object };
  expect(document).toMatchObject({ remotes: [{ type: "streamable-http", url: "https://weather.example.com/mcp" }] });
  expect(document).not.toHaveProperty("packages");
});

test("a document of the package's own is checked, with members that this command does not know", async () => {
  const { code, stdout } = await check(GOOD, [], { ...DOCUMENT, _meta: { "com.example/x": 1 } });
  expect(stdout).toContain("The registry would take this (server.json)");
  expect(code).toBe(0);
});

const with1 = (more: object): object => ({ ...DOCUMENT, packages: [{ ...DOCUMENT.packages[0], ...more }] });

test.each<[string, { own?: object; document?: object; args?: string[] }, string]>([
  ["no mcpName", { own: { mcpName: undefined } }, 'package.json has no "mcpName": add the name in the registry'],
  ["a name without a domain", { own: { mcpName: "weather" } }, "name: "],
  ["a name with two slashes", { own: { mcpName: "io.github.acme/a/b" } }, 'one "/"'],
  ["a long description", { own: { description: "x".repeat(101) } }, "At most 100 characters"],
  ["no description", { own: { description: undefined } }, "description"],
  [
    "a private package",
    { own: { private: true } },
    'remove "private" from package.json, or name the URL of a running server with --remote',
  ],
  ["no command for npx", { own: { bin: undefined } }, 'package.json has no "bin"'],
  [
    "a server of another version",
    { own: { version: "2.0.0" } },
    "the server says that it has version 1.2.3: make it the version of package.json, 2.0.0",
  ],
  ["a remote that is no URL", { args: ["--remote", "weather.example.com"] }, "remotes.0.url"],
  ["another name", { document: { ...DOCUMENT, name: "io.github.acme/rain" } }, "make them the same"],
  ["another version", { document: { ...DOCUMENT, version: "1.0.0" } }, "its version is 1.0.0, and package.json has 1.2.3"],
  ["another package", { document: with1({ identifier: "weather" }) }, "its package is weather"],
  ["a range", { document: with1({ version: "^1.2.3" }) }, "It must be one version, and no range"],
  ["an unknown registry", { document: with1({ registryType: "bower" }) }, "packages.0.registryType"],
  ["an unknown member of a package", { document: with1({ runtime: "node" }) }, "packages.0"],
  ["no transport", { document: with1({ transport: undefined }) }, "packages.0"],
])("%s is named", async (_what, { own = {}, document, args = [] }, problem) => {
  const { code, stdout, folder } = await check({ ...GOOD, ...own }, [...args, "-o", "made.json"], document);
  expect(stdout).toContain("The registry would refuse this");
  expect(stdout).toContain(problem);
  expect(code).toBe(1);
  expect(existsSync(join(folder, "made.json"))).toBe(false);
});

test("a missing mcpName is named once, and hides no other problem", async () => {
  const { stdout } = await check({ ...GOOD, mcpName: undefined, description: "x".repeat(101) }, []);
  expect(stdout).not.toContain('must have a property "name"');
  expect(stdout).toContain("At most 100 characters");
});

test("without --check it says who publishes, and a file that is not JSON is named", async () => {
  expect(await runCommand(["publish", "x.ts"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("mcp-publisher publish") as string,
  });
  const { path: folder, remove } = outsideFolder();
  onTestFinished(remove);
  write(folder, { "package.json": "{", "src/server.ts": SERVER });
  expect(await runCommand(["publish", "src/server.ts", "--check"], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("package.json is not JSON") as string,
  });
});
