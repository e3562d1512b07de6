/** What is said of frameworks that stand on the SDK 1.x. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { frameworkNote } from "./other-frameworks.ts";
import { projectIn } from "./project.ts";

test.each([
  [["fastmcp"], "This server is written with fastmcp, which uses the SDK 1.x"],
  [["@modelcontextprotocol/server"], undefined],
  [["express"], undefined],
])("a project that has %j and the SDK 1.x: %s", (names, note) => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-frameworks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sdk = join(folder, "node_modules/@modelcontextprotocol/sdk");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, "package.json"), '{ "name": "@modelcontextprotocol/sdk", "version": "1.30.0" }');
  const dependencies = Object.fromEntries(["@modelcontextprotocol/sdk", ...names].map((name) => [name, "1.0.0"]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }));
  expect(frameworkNote(projectIn(folder, "s"))?.split(":")[0]).toBe(note);
});
