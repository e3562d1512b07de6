// The command compiles its code once, where Node keeps what it compiled: 22.8 and newer.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../cli/start-command.ts";
import { runtime } from "../../../tenon/test/runtimes/running.ts";

test.for([
  ["node-22", true],
  ["node-24", true],
  ["node-26", true],
  ["node", Number(process.versions.node.split(".")[0]) >= 22],
] as const)("the command on %s keeps what it compiled: %s", ([name, keeps], context) => {
  const [command] = runtime(name, context);
  const folder = mkdtempSync(join(tmpdir(), "compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { status, stdout } = spawnSync(command, [MAIN, "--version"], {
    env: { ...process.env, TMPDIR: folder },
    encoding: "utf8",
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(readdirSync(folder, { recursive: true }).length > 1).toBe(keeps);
});
