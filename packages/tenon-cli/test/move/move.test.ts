/**
 * `tenon move` on projects that npm has installed: nothing of the server changes, and everything can be put back. Needs a build.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LATEST_PROTOCOL_VERSION } from "tenon";
import { connect } from "tenon/client";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { outsideFolder, write } from "../cli/packed.ts";
import { runCommand } from "../cli/run-command.ts";
import { freePort } from "../../../../scripts/free-port.mjs";
import { moveJson, packLayer, project, savedBytes, versionsOf } from "./project.ts";

const SERVER = readFileSync(new URL("fixtures/server.mjs", import.meta.url), "utf8");
const PACKAGES = ["@modelcontextprotocol/sdk", "zod"];
const env = { HOME: process.env["HOME"] ?? "" };

beforeAll(packLayer, 120_000);

test("a server runs on Tenon unchanged, is compared, speaks the newest revision, and goes back byte for byte", async () => {
  const folder = await project({ "server.mjs": SERVER }, PACKAGES, { bin: "server.mjs" });
  const before = savedBytes(folder);
  const { ended, json } = await moveJson(folder, []);
  expect(ended.code, ended.stderr).toBe(0);
  expect(json).toMatchObject({
    manager: "npm",
    wrote: ["package.json"],
    comparison: { changed: [] },
    newest: { revision: LATEST_PROTOCOL_VERSION, lists: { tools: 4, prompts: 1, resources: 1, resourceTemplates: 1 } },
    next: expect.arrayContaining([`npx tenon move ${folder} --undo puts everything back`]) as string[],
  });
  const { requests, same } = (json as { comparison: { requests: number; same: number } }).comparison;
  expect(same).toBe(requests);
  expect(requests).toBeGreaterThan(14);
  expect(readFileSync(join(folder, "server.mjs"), "utf8")).toBe(SERVER);
  await using client = await connect(
    { command: process.execPath, args: [join(folder, "server.mjs")] },
    { revision: LATEST_PROTOCOL_VERSION },
  );
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  await client.close();

  expect(await runCommand(["move", folder], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`moved already. To go back: npx tenon move ${folder} --undo`) as string,
  });
  const undone = await runCommand(["move", folder, "--undo"], { env });
  expect(undone).toMatchObject({ code: 0, stdout: "package.json and package-lock.json are as before the move.\n" });
  expect(savedBytes(folder)).toEqual(before);
  expect(existsSync(join(folder, ".tenon-move"))).toBe(false);
  expect(JSON.parse(readFileSync(join(folder, "node_modules", PACKAGES[0]!, "package.json"), "utf8"))).toMatchObject({
    name: PACKAGES[0],
  });
}, 300_000);

test("a package of an npm workspace is moved with the overrides of the workspace, and all goes back byte for byte", async () => {
  const manifest = { name: "server", version: "1.0.0", type: "module", bin: "server.mjs", dependencies: versionsOf(PACKAGES) };
  const root = await project(
    { "packages/server/package.json": `${JSON.stringify(manifest, undefined, 2)}\n`, "packages/server/server.mjs": SERVER },
    [],
    { private: true, workspaces: ["packages/*"] },
  );
  const folder = join(root, "packages/server");
  const files = [join(folder, "package.json"), join(root, "package.json"), join(root, "package-lock.json")];
  const before = files.map((path) => readFileSync(path));
  const { ended, json } = await moveJson(folder, []);
  expect(ended.code, ended.stderr).toBe(0);
  expect(json).toMatchObject({ manager: "npm", wrote: ["package.json", "../../package.json"], comparison: { changed: [] } });
  const name = (): unknown => {
    const places = [folder, root].map((each) => join(each, "node_modules", PACKAGES[0]!, "package.json"));
    return JSON.parse(
      readFileSync(
        places.find((path) => existsSync(path))!,
        "utf8",
      ),
    ); // it is in one of them
  };
  expect(name()).toMatchObject({ name: "tenon-sdk-v1" });
  const undone = await runCommand(["move", folder, "--undo"], { env });
  expect(undone).toMatchObject({
    code: 0,
    stdout: "package.json, ../../package.json, and ../../package-lock.json are as before the move.\n",
  });
  expect(files.map((path) => readFileSync(path))).toEqual(before);
  expect(name()).toMatchObject({ name: PACKAGES[0] });
}, 300_000);

test("answers that differ are shown by their paths, and those that vary by themselves are not", async () => {
  const telling = `${SERVER.replace(/^await server.connect.*$/m, "")}
import { readFileSync } from "node:fs";
const told = { annotations: readOnly };
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });
const below = "node_modules/@modelcontextprotocol/sdk/package.json";
server.registerTool("below", told, () => text(JSON.parse(readFileSync(below)).name));
server.registerTool("now", told, () => text(process.hrtime.bigint()));
await server.connect(new StdioServerTransport());
`;
  const folder = await project({ "server.mjs": telling }, PACKAGES);
  const { code, stdout } = await runCommand(["move", folder, "--", process.execPath, "server.mjs"], { env });
  expect(code).toBe(1);
  expect(stdout).toContain("✗ tools/call below");
  expect(stdout).toContain(`/content/0/text  official "${PACKAGES[0]}"  Tenon "tenon-sdk-v1"`);
  expect(stdout).toContain("different at each start, and compared but for that: tools/call now");
  expect(stdout).not.toContain("✗ tools/call now");
  expect(stdout).toContain("the project names the tarball of that clone");
  const text = readFileSync(join(folder, "package.json"), "utf8");
  writeFileSync(join(folder, "package.json"), text.replace('"moved"', '"renamed"'));
  expect(await runCommand(["move", folder, "--undo"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("package.json has changed since the move") as string,
  });
}, 300_000);

test("--check writes nothing, and what cannot be served is refused by name", async () => {
  const socket = `import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";\n`;
  const folder = await project({ "server.mjs": SERVER }, PACKAGES, { bin: "server.mjs" });
  const before = savedBytes(folder);
  const checked = await runCommand(["move", folder, "--check"], { env });
  expect(checked).toMatchObject({ code: 0, stderr: "" });
  expect(checked.stdout).toMatch(/server\.mjs:\d+ {2}sendLoggingMessage\(\)/);
  expect(checked.stdout).toContain(`npx tenon move ${folder}\n`);
  expect((await runCommand(["move", "--check"], { env, cwd: folder })).stdout).toMatch(/ npx tenon move\n/);
  writeFileSync(join(folder, "client.mjs"), socket);
  const refused = await runCommand(["move", folder], { env });
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/WebSocket[^]*client\.mjs:1[^]*Nothing was written/) as string,
  });
  expect(savedBytes(folder)).toEqual(before);
  expect(existsSync(join(folder, ".tenon-move"))).toBe(false);
}, 300_000);

test("a program that serves over HTTP is started for each comparison, and speaks the newest revision there", async () => {
  const http = readFileSync(new URL("fixtures/http.mjs", import.meta.url), "utf8");
  const folder = await project({ "http.mjs": http }, [...PACKAGES, "express"]);
  const port = await freePort();
  const command = ["--remote", `http://127.0.0.1:${port}/mcp`, "--env", `PORT=${port}`, "--", process.execPath, "http.mjs"];
  const { ended, json } = await moveJson(folder, command);
  expect(ended.code, ended.stderr).toBe(0);
  expect(json).toMatchObject({ comparison: { changed: [] }, newest: { revision: LATEST_PROTOCOL_VERSION, lists: { tools: 1 } } });
}, 300_000);

test("a framework is named with its page: above the SDK 1.x it moves with it, and without the SDK it does not", async () => {
  const { path, remove } = outsideFolder();
  onTestFinished(remove);
  const manifest = JSON.stringify({ dependencies: { fastmcp: "4.20.16" } });
  write(path, { "package.json": manifest });
  const refused = await runCommand(["move", path], { env });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/fastmcp.* is not installed below it.*"From fastmcp \(npm\)"/) as string,
  });
  write(path, { "node_modules/@modelcontextprotocol/sdk/package.json": { version: "1.24.3" } });
  const checked = await runCommand(["move", path, "--check"], { env });
  expect(checked).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/written with fastmcp, .*"From fastmcp \(npm\)"/) as string,
  });
  write(path, { "node_modules/@modelcontextprotocol/sdk/package.json": { version: "2.0.0" } });
  expect(await runCommand(["move", path], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is for 1.x") as string,
  });
  expect(readFileSync(join(path, "package.json"), "utf8")).toBe(manifest);
}, 300_000);

test("an install that fails leaves everything as it was", async () => {
  const folder = await project({ "server.mjs": SERVER }, PACKAGES, {
    bin: "server.mjs",
    scripts: { postinstall: "node check.mjs" },
  });
  const before = savedBytes(folder);
  writeFileSync(join(folder, "check.mjs"), 'console.error("No, thank you"); process.exit(1);');
  const { code, stderr } = await runCommand(["move", folder], { env });
  expect(code).toBe(3);
  expect(stderr).toContain("No, thank you");
  expect(savedBytes(folder)).toEqual(before);
  expect(await runCommand(["move", folder, "--undo"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Nothing was moved") as string,
  });
}, 300_000);
