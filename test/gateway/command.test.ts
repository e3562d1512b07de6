/** `tenon gateway`: the built command on stdin and stdout, over HTTP, with a file that changes, and `check`. Needs a build. */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { MAIN, tenon } from "../cli/tenon.ts";

const MORTAL = fileURLToPath(new URL("mortal-server.mjs", import.meta.url));
const entry = { command: process.execPath, args: [MORTAL] };

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The settings of a user who has not agreed to any program. */
async function newUser(): Promise<{ env: { XDG_CONFIG_HOME: string } }> {
  return { env: { XDG_CONFIG_HOME: await temporaryFolder() } };
}

/** A configuration file in a folder of its own. */
async function fileWith(mcpServers: object): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers }));
  return file;
}

it("serves the servers of a file on stdin and stdout, and follows the file", async () => {
  const file = await fileWith({ first: entry });
  const client = await connect({
    command: process.execPath,
    args: [MAIN, "gateway", file, "--yes"],
    stderr: "ignore",
    ...(await newUser()),
  });
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["first__die", "first__pid"]);
  const { text: before } = await client.callTool("first__pid");
  const changes = await client.listen({ tools: true });
  await writeFile(file, JSON.stringify({ mcpServers: { first: entry, second: entry } }));
  await changes.next();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("second__pid");
  expect((await client.callTool("first__pid")).text).toBe(before); // its connection was kept
});

it("serves over HTTP until it is interrupted", async () => {
  const file = await fileWith({ first: entry });
  let seen: Promise<string | undefined> | undefined;
  const ended = await tenon(["gateway", file, "--http", "--port", "0", "--yes"], {
    ...(await newUser()),
    onStderr: (text, kill) => {
      const url = /http:\/\/\S+\/mcp/.exec(text)?.[0];
      if (url === undefined || seen !== undefined) return;
      seen = (async () => {
        const client = await connect(url);
        const { text: pid } = await client.callTool("first__pid");
        await client.close();
        kill("SIGINT");
        return pid;
      })();
    },
  });
  expect(await seen).toMatch(/^\d+$/);
  expect(ended.code).toBe(0);
});

it("says what would be served, and exits with 1 if a server does not start", async () => {
  const good = await tenon(["gateway", "check", "--yes", await fileWith({ first: entry })], await newUser());
  expect(good).toMatchObject({ code: 0 });
  expect(good.stdout).toContain("first: 2 tools, 0 prompts, 0 resources");
  const gone = { command: process.execPath, args: ["-e", "process.exit(3)"] };
  const bad = await tenon(["gateway", "check", "--yes", await fileWith({ gone })], await newUser());
  expect(bad.code).toBe(1);
  expect(bad.stdout).toContain("gone: ");
});

it("names the file and the server of a fault", async () => {
  const { code, stderr } = await tenon(["gateway", await fileWith({ wrong: { command: 5 } })]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/mcp\.json[^]*wrong/);
});

it("lists two tools and the pinned ones with --search", async () => {
  const file = await fileWith({ first: entry });
  const args = [MAIN, "gateway", file, "--yes", "--search", "--pin", "first__pid"];
  const client = await connect({ command: process.execPath, args, stderr: "ignore", ...(await newUser()) });
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool", "first__pid"]);
  expect((await client.callTool("search_tools", { queries: ["id of the process: pid"] })).text).toContain("first__pid");
  expect((await client.callTool("call_tool", { name: "first__pid" })).text).toMatch(/^\d+$/);
  const { code, stderr } = await tenon(["gateway", file, "--pin", "first__pid"]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--pin goes with --search") as string });
});

it("starts no program without consent: refuses without a terminal, and remembers a consent [requirement M6.5]", async () => {
  const user = await newUser();
  const trace = join(await temporaryFolder(), "started");
  const traced = { command: process.execPath, args: ["-e", `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "")`] };
  const file = await fileWith({ traced });
  for (const words of [
    ["gateway", "check", file],
    ["gateway", file],
    ["gateway", file, "--http", "--port", "0"],
  ]) {
    const { code, stderr } = await tenon(words, user);
    expect(code).toBe(2);
    expect(stderr).toContain('not agreed to "traced"');
    expect(stderr).toContain(`traced would start: ${process.execPath} -e`); // the command as it is run
  }
  expect(existsSync(trace)).toBe(false);
  await tenon(["gateway", "check", "--yes", file], user);
  expect(existsSync(trace)).toBe(true);
  expect((await tenon(["gateway", "check", file], user)).stderr).not.toContain("not agreed"); // and does not ask again
  const changed = await fileWith({ traced: { ...traced, env: { NODE_OPTIONS: "--require ./other.cjs" } } });
  expect((await tenon(["gateway", "check", changed], user)).stderr).toContain('not agreed to "traced"');
});

it("leaves a new program of a changed file out until the user agrees", async () => {
  const user = await newUser();
  const file = await fileWith({ first: entry });
  expect((await tenon(["gateway", "check", "--yes", file], user)).code).toBe(0);
  const client = await connect({ command: process.execPath, args: [MAIN, "gateway", file], stderr: "ignore", ...user });
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["first__die", "first__pid"]);
  const changes = await client.listen({ tools: true });
  const second = { ...entry, args: [...entry.args, "second"] };
  // A server at a URL needs no consent: it shows that the file was applied.
  await writeFile(file, JSON.stringify({ mcpServers: { first: entry, second, far: { url: "http://127.0.0.1:1/mcp" } } }));
  await changes.next();
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("second__pid");
  expect((await tenon(["gateway", "check", "--yes", file], user)).code).toBe(1); // `far` cannot be reached
  await changes.next();
  await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toContain("second__pid");
});
