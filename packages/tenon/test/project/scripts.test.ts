// Programs of this repository whose reader has seen enough end without a word.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
// our own file
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** The programs of the lab lie beside their parts: those that have a command are meant. */
const ofLab = [
  ...Object.values(scripts)
    .join("\n")
    .matchAll(/\blab\/\S+\.mjs/g),
].map(([path]) => path);
const ofFolders = ["scripts", "bench", "conformance"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => `${folder}/${name}`),
);
const programs = [...new Set([...ofFolders, ...ofLab])];

test.each(programs)("%s does not mind a reader that stops, if it prints", (program) => {
  const text = readFileSync(join(root, program), "utf8");
  if (program === "scripts/stdout.mjs" || !/console\.log|process\.stdout\.write/.test(text)) return;
  expect(text).toMatch(/^endWithReader\(\);$/m);
});

test("what was cut off by its reader exits with 0 and shows no stack", async () => {
  const child = spawn(process.execPath, [join(root, "scripts/layers.mjs")], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect([code, said]).toEqual([0, ""]);
});
