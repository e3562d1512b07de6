// Every command of `tenon` is documented, and the pictures of its page can be made anew. Needs a build.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { assertHas } from "../support/needs.ts";
import { runCommand } from "../../../tenon-cli/test/cli/run-command.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const tools = join(root, "docs/tools");

test("every command has a row in the table of commands, and every page that a row names exists", async () => {
  const page = readFileSync(join(tools, "cli.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `tenon "));
  const { stdout } = await runCommand(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}tenon ([a-z]+)\b/gm)].map(([, name]) => name!);
  expect(commands).toContain("dev");
  expect(commands.filter((name) => !rows.some((row) => row.includes(`\`tenon ${name}`)))).toEqual([]);
  const links = rows.flatMap((row) => [...row.matchAll(/\]\(([^)#]+\.md)/g)].map(([, link]) => link!));
  expect(links).toContain("dev.md");
  expect(links.filter((link) => !existsSync(join(tools, link)))).toEqual([]);
});

test("the pictures of the inspector are made by a script", { timeout: 300_000 }, async ({ skip }) => {
  assertHas({ skip }, "chromium");
  const folder = mkdtempSync(join(tmpdir(), "tenon-pictures-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await promisify(execFile)(process.execPath, [join(root, "packages/tenon-cli/scripts/inspector-pictures.mjs"), folder]);
  const shown = [...readFileSync(join(tools, "inspect.md"), "utf8").matchAll(/\(inspect\/([\w-]+\.png)\)/g)].map(
    ([, name]) => name!,
  );
  expect(readdirSync(folder).toSorted()).toEqual(expect.arrayContaining(shown.toSorted()));
  // A picture of an empty page is smaller.
  expect(shown.filter((name) => statSync(join(folder, name)).size < 10_000)).toEqual([]);
});
