/** `tenon gateway`: the built command on stdin and stdout, over HTTP, with a file that changes, and `check`. Needs a build. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { MAIN, tenon } from "../cli/tenon.ts";

const MORTAL = fileURLToPath(new URL("mortal-server.mjs", import.meta.url));
const entry = { command: process.execPath, args: [MORTAL] };

/** A configuration file in a folder of its own. */
async function fileWith(mcpServers: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers }));
  return file;
}

it("serves the servers of a file on stdin and stdout, and follows the file", async () => {
  const file = await fileWith({ first: entry });
  const client = await connect({ command: process.execPath, args: [MAIN, "gateway", file], stderr: "ignore" });
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
  const ended = await tenon(["gateway", file, "--http", "--port", "0"], {
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
  const good = await tenon(["gateway", "check", await fileWith({ first: entry })]);
  expect(good).toMatchObject({ code: 0 });
  expect(good.stdout).toContain("first: 2 tools, 0 prompts, 0 resources");
  const bad = await tenon(["gateway", "check", await fileWith({ gone: { command: process.execPath, args: ["-e", "process.exit(3)"] } })]);
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
  const args = [MAIN, "gateway", file, "--search", "--pin", "first__pid"];
  const client = await connect({ command: process.execPath, args, stderr: "ignore" });
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool", "first__pid"]);
  expect((await client.callTool("search_tools", { queries: ["id of the process: pid"] })).text).toContain("first__pid");
  expect((await client.callTool("call_tool", { name: "first__pid" })).text).toMatch(/^\d+$/);
  const { code, stderr } = await tenon(["gateway", file, "--pin", "first__pid"]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--pin goes with --search") as string });
});
