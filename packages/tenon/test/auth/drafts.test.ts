// What the file store writes before it puts a record in its place holds tokens: it does not stay, whatever ends the writing.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fileStore } from "tenon/node";
import { buildServed } from "../stdio/served.ts";
import { assertHas } from "../support/needs.ts";

let program: Awaited<ReturnType<typeof buildServed>>;
beforeAll(async () => (program = await buildServed(new URL("fixtures/store-writer.ts", import.meta.url))));
afterAll(() => program.remove());

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "tenon-drafts-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const drafts = (directory: string): string[] => readdirSync(directory).filter((file) => file.endsWith(".tmp"));

/** Files as a process leaves them that is killed while it writes, as many seconds ago. Returns where they are. */
function leave(directory: string, file: string, seconds: number): string {
  const path = join(directory, file);
  writeFileSync(path, "{}");
  utimesSync(path, Date.now() / 1_000 - seconds, Date.now() / 1_000 - seconds);
  return path;
}

test("a write that fails on the way leaves nothing", (context) => {
  assertHas(context, "linux");
  const directory = temporary();
  const limited = `ulimit -f 4; exec "$0" "$1" "$2" 100000`;
  const { stdout } = spawnSync("sh", ["-c", limited, process.execPath, program.file, directory], {
    encoding: "utf8",
    timeout: 100_000,
  });
  expect(stdout).toBe("EFBIG\n");
  expect(readdirSync(directory)).toEqual([]);
});

test("a record that has no JSON leaves nothing", async () => {
  const directory = temporary();
  await expect(fileStore({ directory }).set("a", { large: 1n as never })).rejects.toThrow(TypeError);
  expect(readdirSync(directory)).toEqual([]);
});

test("a logout deletes what processes have left that were killed while they wrote", async () => {
  const directory = temporary();
  for (let kills = 0; kills < 40 && drafts(directory).length === 0; kills++) {
    const writer = spawn(process.execPath, [program.file, directory, "100000", "forever"]);
    const exited = once(writer, "exit");
    while (drafts(directory).length === 0) await new Promise((resolve) => setImmediate(resolve));
    writer.kill("SIGKILL");
    await exited;
  }
  expect(drafts(directory)).not.toEqual([]);
  await fileStore({ directory }).delete("a");
  expect(readdirSync(directory)).toEqual([]);
});

test("a logout deletes the drafts of its own record only, and succeeds if there is no folder", async () => {
  const directory = temporary();
  const store = fileStore({ directory });
  await store.set("a", {});
  await store.set("b", {});
  for (const file of readdirSync(directory)) leave(directory, `${file}.1.tmp`, 1);
  await store.delete("a");
  const left = readdirSync(directory);
  expect(left).toHaveLength(2);
  expect(drafts(directory)).toEqual([`${left[0]}.1.tmp`]);
  await fileStore({ directory: join(directory, "none") }).delete("a");
});

test("drafts older than a minute are removed with the next use of the folder, and nothing else is", async () => {
  const directory = temporary();
  const name = "0".repeat(64);
  leave(directory, `${name}.json.1.tmp`, 61);
  for (const [file, seconds] of [
    [`${name}.json.2.tmp`, 30],
    ["mine.tmp", 3_600],
  ] as const)
    leave(directory, file, seconds);
  await fileStore({ directory }).set("a", {});
  expect(drafts(directory)).toEqual([`${name}.json.2.tmp`, "mine.tmp"]);
});

test("a record that is set while it is deleted is there afterwards or is not, and neither fails", async () => {
  const directory = temporary();
  const store = fileStore({ directory });
  for (let round = 0; round < 30; round++) await Promise.all([store.set("a", { round }), store.delete("a"), store.delete("a")]);
  expect(drafts(directory)).toEqual([]);
});
