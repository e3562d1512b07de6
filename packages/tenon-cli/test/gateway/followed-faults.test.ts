/** What `tenon gateway` says of a configuration that is changed while it runs, and is wrong. Needs a build. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { connect } from "tenon";
import { MAIN, startCommand } from "../cli/start-command.ts";

const MORTAL = fileURLToPath(new URL("../../../tenon/test/gateway/mortal-server.mjs", import.meta.url));
const entry = { command: process.execPath, args: [MORTAL] };

it("tells once of a fault that a save leaves, and again after the next save", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-faults-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  const user = { env: { XDG_CONFIG_HOME: join(folder, "user") } };
  await writeFile(file, JSON.stringify({ mcpServers: { a: entry } }));
  const notes: string[] = [];
  const command = { command: process.execPath, args: [MAIN, "gateway", file], ...user };
  await startCommand(["gateway", file, "--stdio", "--yes"], user); // agrees to the program
  const client = await connect({ ...command, stderr: { write: (chunk) => notes.push(new TextDecoder().decode(chunk)) } });
  onTestFinished(() => client.close());
  /** Replaces the file, as editors and `sed -i` do: that makes several events. */
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  const told = (what: string): number => notes.join("").split(what).length - 1;
  for (const count of [1, 2]) {
    await replace("{".repeat(count));
    await expect.poll(() => told("was not applied"), { timeout: 90_000 }).toBe(count);
  }
  await replace(JSON.stringify({ mcpServers: { a: entry, b: { ...entry, args: [MORTAL, "other"] } } }));
  await expect.poll(() => told("not started, because you have not agreed: b"), { timeout: 90_000 }).toBe(1);
  await replace("{");
  await expect.poll(() => told("was not applied"), { timeout: 90_000 }).toBe(3);
  expect(told("not started")).toBe(1);
});
