import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Sources } from "./sources.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "tenon-sources-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Lets `turns` turns of the event loop pass: reads of files go on meanwhile. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A file that a version has imported for the first time, and that `save` changes at some moment after that. */
async function changedBy(save: (file: string) => void, wait: number): Promise<boolean> {
  const file = join(folder(), "imported.ts");
  writeFileSync(file, "old");
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(file, longAgo, longAgo);
  // The file was made a moment ago, and its times say so: the load began long after that.
  const began = Date.now() + 1_000;
  const sources = new Sources();
  sources.add([file]);
  const serving = sources.serveNew(began);
  await turns(wait);
  save(file);
  await serving;
  return (await sources.changed()).includes(file);
}

test("a save at any moment while an imported file is recorded is a change", async () => {
  const inTheFuture = new Date(Date.now() + 60_000);
  const save = (file: string): void => {
    writeFileSync(file, "new");
    utimesSync(file, inTheFuture, inTheFuture);
  };
  for (let round = 0; round < 20; round++) for (let wait = 0; wait < 10; wait++) expect(await changedBy(save, wait)).toBe(true);
});

test("a file that is moved over an imported one is a change, however old it is", async () => {
  const path = folder();
  const [file, older] = [join(path, "imported.ts"), join(path, "older.ts")];
  for (const name of [file, older]) writeFileSync(name, name);
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of [file, older]) utimesSync(name, longAgo, longAgo);
  const sources = new Sources();
  sources.add([file]);
  const began = Date.now();
  renameSync(older, file);
  await sources.serveNew(began);
  expect(await sources.changed()).toEqual([file]);
});

test("a file that an editor empties before it writes is read when it is whole", async () => {
  const file = join(folder(), "saved.ts");
  writeFileSync(file, "old");
  const sources = new Sources();
  sources.add([file]);
  await sources.read();
  writeFileSync(file, "");
  const reading = sources.read();
  // Longer than two reads, shorter than all of them: the reads wait in the same event loop.
  await new Promise((resolve) => setTimeout(resolve, 40));
  writeFileSync(file, "new");
  await reading;
  expect(await sources.changed()).toEqual([]);
});
