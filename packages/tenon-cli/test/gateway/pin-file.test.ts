/**
 * The file of `--pins`: it is whole when a gateway ends. Through symbolic links a gateway follows another target, and writes into
 * the file that a link leads to. Needs a build.
 */
import { lstat, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { MAIN } from "../cli/start-command.ts";

const MORTAL = fileURLToPath(new URL("../../../tenon/test/gateway/mortal-server.mjs", import.meta.url));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-pin-file-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = { mcpServers: { a: { command: process.execPath, args: [MORTAL] } } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify(config));
  return folder;
}

/** A client of a gateway whose file of pins has that path. */
async function clientOf(folder: string, pins: string): Promise<Client> {
  const args = [MAIN, "gateway", join(folder, "mcp.json"), "--yes", "--pins", pins];
  const env = { XDG_CONFIG_HOME: join(folder, "user") };
  const client = await connect({ command: process.execPath, args, stderr: "ignore", env });
  onTestFinished(() => client.close());
  return client;
}

async function lists(client: Client, tools: readonly string[]): Promise<void> {
  await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 90_000 }).toEqual(tools);
}

it("has written what it pinned when its process has ended", async () => {
  const folder = await newFolder();
  const pins = join(folder, "pins.json");
  // So large that it takes longer to write than a process to end.
  const large = { digest: "of large", definition: { description: "x".repeat(5_000_000) } };
  await writeFile(pins, JSON.stringify({ servers: { b: { large } } }));
  const client = await clientOf(folder, pins);
  await lists(client, ["a__die", "a__pid"]);
  await client.close();
  const { servers } = JSON.parse(await readFile(pins, "utf8")) as { servers: { a?: object } };
  expect(Object.keys(servers.a ?? {})).toEqual(["die", "pid"]);
});

it("writes into the file that a link leads to, and serves what another target of a link approves", async () => {
  const folder = await newFolder();
  for (const name of ["..1", "..2"]) await mkdir(join(folder, name));
  await symlink("..1", join(folder, "..data"));
  await symlink("..data/pins.json", join(folder, "pins.json"));
  const pins = join(folder, "pins.json");
  const first = await clientOf(folder, pins);
  await lists(first, ["a__die", "a__pid"]);
  await first.close();
  expect((await lstat(pins)).isSymbolicLink()).toBe(true);
  const text = await readFile(join(folder, "..1", "pins.json"), "utf8");
  await writeFile(join(folder, "..2", "pins.json"), text);
  const { servers } = JSON.parse(text) as { servers: { a: { die: { digest: string } } } };
  servers.a.die.digest = "of another definition";
  await writeFile(join(folder, "..1", "pins.json"), JSON.stringify({ servers }));
  const second = await clientOf(folder, pins);
  await lists(second, ["a__pid"]);
  await symlink("..2", join(folder, "..data_tmp"));
  await rename(join(folder, "..data_tmp"), join(folder, "..data"));
  await lists(second, ["a__die", "a__pid"]);
});
