// `tenon install`, `uninstall` and `hosts`, in a home of their own: what is written starts, and nothing else changes.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { runCommand } from "./run-command.ts";
import { type Ended, fixture, startCommand } from "./start-command.ts";
import { tenonAtTerminal } from "./at-terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

const sums = fixture("sums.mjs");
const FILES: Record<string, string> = {
  "claude-desktop": ".config/Claude/claude_desktop_config.json",
  "claude-code": ".claude.json",
  vscode: ".config/Code/User/mcp.json",
  cursor: ".cursor/mcp.json",
  windsurf: ".codeium/windsurf/mcp_config.json",
  zed: ".config/zed/settings.json",
  "gemini-cli": ".gemini/settings.json",
  codex: ".codex/config.toml",
  "lm-studio": ".lmstudio/mcp.json",
};

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "tenon home ü "));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const inHome = (home: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  runCommand(args, { env: { HOME: home, ...env } });

function put(home: string, file: string, text: string): string {
  const path = join(home, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test("what install writes starts in every host, and uninstall takes it out of all", async () => {
  const home = temporaryHome();
  const hosts = Object.keys(FILES).flatMap((id) => ["--host", id]);
  const installed = await inHome(home, ["install", sums, ...hosts, "--yes", "--json"]);
  expect({ code: installed.code, stderr: installed.stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("Claude Desktop") as string,
  });
  expect(
    (JSON.parse(installed.stdout) as { file: string; changed: boolean; name: string }[]).map(({ file, changed, name }) => [
      file,
      changed,
      name,
    ]),
  ).toEqual(Object.values(FILES).map((file) => [join(home, file), true, "sums"]));
  const listed = await inHome(home, ["hosts", "--json"]);
  const reports = JSON.parse(listed.stdout) as { host: string; servers: { name: string; tenon: boolean; state: unknown }[] }[];
  expect(reports.map(({ host, servers }) => [host, servers])).toEqual(
    Object.keys(FILES).map((id) => [
      id,
      [
        {
          name: "sums",
          tenon: true,
          state: { starts: true, server: "sums", tools: 9, ms: expect.any(Number) as number },
          secrets: [],
        },
      ],
    ]),
  );
  const removed = await inHome(home, ["uninstall", "sums", "--yes"]);
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("It may run on until Cursor is started again.") as string,
  });
  expect(removed.stdout).not.toContain("Switch the server on");
  expect((await inHome(home, ["hosts"])).stdout).toContain("No host has a server there.");
});

test("comments, order, mode and a link stay, and a copy holds what was there", async () => {
  const home = temporaryHome();
  const before = '{\r\n  // mine\r\n  "mcpServers": {\r\n    "old": { "command": "x", }, // keep\r\n  },\r\n  "z": 1\r\n}\r\n';
  const real = put(home, "dotfiles/cursor.json", before);
  chmodSync(real, 0o640);
  mkdirSync(join(home, ".cursor"));
  symlinkSync(real, join(home, ".cursor/mcp.json"));
  expect(await inHome(home, ["install", sums, "--host", "cursor", "--yes"])).toMatchObject({ code: 0 });
  const after = readFileSync(real, "utf8");
  expect(after.startsWith(before.slice(0, before.indexOf(" // keep") + 8))).toBe(true);
  expect(after.endsWith('  },\r\n  "z": 1\r\n}\r\n')).toBe(true);
  expect(lstatSync(join(home, ".cursor/mcp.json")).isSymbolicLink()).toBe(true);
  expect(statSync(real).mode & 0o777).toBe(0o640);
  expect(readFileSync(`${real}.tenon.bak`, "utf8")).toBe(before);
  expect(statSync(`${real}.tenon.bak`).mode & 0o777).toBe(0o600);
  expect(await inHome(home, ["uninstall", "sums", "--host", "cursor", "--yes"])).toMatchObject({ code: 0 });
  expect(readFileSync(real, "utf8")).toBe(before);
  expect(readdirSync(dirname(real)).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});

test("a broken or read-only file stops everything before the first byte", async () => {
  const home = temporaryHome();
  const broken = put(home, FILES["zed"]!, '{\n  "context_servers": {\n}');
  const sealed = put(home, FILES["windsurf"]!, "{}");
  chmodSync(sealed, 0o400);
  const { code, stderr } = await inHome(home, ["install", sums, "--host", "cursor", "--host", "zed", "--yes"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("line 3") as string });
  expect([existsSync(join(home, FILES["cursor"]!)), readFileSync(broken, "utf8")]).toEqual([
    false,
    '{\n  "context_servers": {\n}',
  ]);
  expect(await inHome(home, ["install", sums, "--host", "windsurf", "--yes"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("read-only") as string,
  });
  expect(readFileSync(sealed, "utf8")).toBe("{}");
});

test("five installs at once into one file are all there", async () => {
  const home = temporaryHome();
  const names = ["a", "b", "c", "d", "e"];
  const ended = await Promise.all(
    names.map((name) =>
      startCommand(["install", sums, "--host", "cursor", "--name", name, "--yes", "--no-check"], { env: { HOME: home } }),
    ),
  );
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  const { mcpServers } = JSON.parse(readFileSync(join(home, FILES["cursor"]!), "utf8")) as { mcpServers: object };
  expect(Object.keys(mcpServers).sort()).toEqual(names);
});

test("a project's file has paths that others have, too, and starts", async () => {
  const home = temporaryHome();
  const project = join(home, "project");
  put(
    project,
    "src/server.mjs",
    `import { McpServer } from "tenon/server";\nexport const server = new McpServer({ name: "here", version: "1.0.0" });\n`,
  );
  const run = (...args: string[]): Promise<Ended> => runCommand(args, { cwd: project, env: { HOME: home } });
  const typed = ["install", "src/server.mjs", "--host", "vscode,claude-code,codex", "--scope", "project", "--yes"];
  expect(await run(...typed)).toMatchObject({ code: 2, stderr: expect.stringContaining("npm install -D tenon-cli") as string });
  mkdirSync(join(project, "node_modules"));
  for (const name of ["tenon", "tenon-cli"])
    symlinkSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), join(project, "node_modules", name));
  expect(await run(...typed)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(project, ".vscode/mcp.json"), "utf8"))).toEqual({
    servers: {
      here: {
        type: "stdio",
        command: "node",
        args: ["${workspaceFolder}/node_modules/tenon-cli/dist/main.js", "run", "${workspaceFolder}/src/server.mjs"],
      },
    },
  });
  expect(readFileSync(join(project, ".mcp.json"), "utf8")).not.toContain(home);
  const { code, stdout } = await run("hosts", "--scope", "project");
  expect({ code, starts: stdout.match(/here {2}starts/g)?.length }).toEqual({ code: 0, starts: 3 });
});

test("nothing is written without a yes, for a server that does not start, or with --print", async (context) => {
  assertHas(context, "script");
  const home = temporaryHome();
  expect(await inHome(home, ["install", sums, "--host", "cursor"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes") as string,
  });
  const broken = await inHome(home, ["install", fixture("broken.mjs"), "--host", "cursor", "--yes"]);
  expect({ code: broken.code, stderr: broken.stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining("nothing was written") as string,
  });
  const { stdout } = await inHome(home, ["install", sums, "--host", "codex", "--print", "--name", "x"]);
  expect(stdout).toMatch(/^\[mcp_servers\.x\]\ncommand = /);
  const refused = await tenonAtTerminal(["install", sums, "--host", "cursor", "--no-check"], [["[y]es, [n]o: ", "n\r"]]);
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining("not changed") as string,
  });
  expect(readdirSync(home)).toEqual([]);
});

test("secrets are shown nowhere, and are kept out of a project's file", async () => {
  const home = temporaryHome();
  const typed = ["install", sums, "--host", "cursor", "--env", "TOKEN=s3cret"];
  const { code, stdout, stderr } = await inHome(home, [...typed, "--yes"]);
  expect({ code, shown: `${stdout}${stderr}`.includes("s3cret") }).toEqual({ code: 0, shown: false });
  expect(stderr).toContain("In plain text in this file: TOKEN");
  expect(await inHome(home, [...typed, "--scope", "project", "--yes"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--env TOKEN without one") as string,
  });
  expect((await inHome(home, ["hosts", "--no-check"])).stdout).toContain(
    "sums  not started  served by Tenon; in plain text: TOKEN",
  );
});

test("hosts says why a server does not start, without its neighbours", async () => {
  const home = temporaryHome();
  put(
    home,
    FILES["cursor"]!,
    JSON.stringify({
      mcpServers: { gone: { command: "/no/such/program" }, odd: 5, good: { command: process.execPath, args: [sums, "--x"] } },
    }),
  );
  put(home, FILES["codex"]!, "a = ");
  const { code, stdout } = await inHome(home, ["hosts"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/gone {2}fails: .*ENOENT/);
  expect(stdout).toMatch(/odd {3}fails: must be an object/);
  expect(stdout).toContain("it is not TOML (line 1");
});

test.each([
  [["install", sums], "claude-desktop, claude-code"],
  [["install", sums, "--host", "cursr"], 'Did you mean "cursor"?'],
  [["install", sums, "--host", "cursor", "--name", "a b"], "cannot name a server"],
  [
    ["install", sums, "--host", "windsurf", "--scope", "project", "--no-check"],
    "node_modules|npm install -D tenon|no file in a project",
  ],
  [["install", sums, "--host", "cursor", "--scope", "all"], "--scope must be user or project"],
  [["install", "http://127.0.0.1:1/mcp", "--host", "claude-desktop"], "takes no URL"],
  [["install", "http://127.0.0.1:1/mcp", "--host", "cursor", "--env", "A"], "--env is for a server"],
  [["uninstall"], "The name is missing"],
  [["uninstall", "nothing"], "No host has a server"],
])("%j is refused", async (args, why) => {
  const { code, stderr } = await inHome(temporaryHome(), args);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(new RegExp(why.replaceAll("?", String.raw`\?`))) as string,
  });
});
