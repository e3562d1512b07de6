/** The file of pins behind a link whose target changes while a gateway writes. */
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SeenTool } from "tenon/gateway";
import { PinFile } from "./pin-file.ts";

const definition = { name: "read" };
const seen: SeenTool = { server: "files", tool: "read", kind: "tool", name: "read", digest: "of read", definition };
const pinsOf = (digest: string): object => ({ servers: { files: { old: { digest, definition: {} } } } });

it("leaves another target alone, if the link changes while it writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-pins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [link, before, after] = ["pins.json", "before.json", "after.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(before, JSON.stringify(pinsOf("of before")));
  writeFileSync(after, JSON.stringify(pinsOf("of after")));
  symlinkSync(before, link);
  function* swapped(): Generator<SeenTool> {
    symlinkSync(after, `${link}.next`);
    renameSync(`${link}.next`, link);
    yield seen;
  }
  await new PinFile(link, () => undefined).write(swapped());
  expect(JSON.parse(readFileSync(after, "utf8"))).toEqual(pinsOf("of after"));
  const read = { digest: "of read", definition };
  expect(JSON.parse(readFileSync(before, "utf8"))).toEqual({
    servers: { files: { old: { digest: "of before", definition: {} }, read } },
  });
});
