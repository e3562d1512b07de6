// Completion in the shells themselves: bash, and those of zsh and fish that are installed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { MAIN, tenon } from "./tenon.ts";

vi.setConfig({ testTimeout: 60_000 });

/** What bash offers after these words, of which the last is being typed. */
async function inBash(words: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-shell-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "tenon"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const { stdout: script } = await tenon(["completion", "bash"]);
  const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon_complete; complete -p tenon >&2; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync("bash", ["--norc", "-c", program, "bash", "tenon", ...words], {
    env: { PATH: `${folder}:${process.env["PATH"]}` },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return output.split("\n").filter((line) => line !== "");
}

test.each([
  [["ins"], ["install"]],
  [["install", "--ho"], ["--host"]],
  [
    ["install", "--host", "c"],
    ["claude-desktop", "claude-code", "cursor", "codex"],
  ],
  [
    ["hosts", "--scope", ""],
    ["user", "project"],
  ],
  [["list", "--revision", "2026"], ["2026-07-28"]],
  [["completion", "z"], ["zsh"]],
  [["call", "server.ts", ""], []],
  [["list", "--", "node", "--"], []],
])("bash offers for %j", async (words, offered) => {
  expect(await inBash(words)).toEqual(offered);
});

test("bash offers the names of a configuration, and none that a shell would read as something else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { weather: {}, "$(touch x)": {}, web: {} } }));
  expect(await inBash(["list", "--config", file, "we"])).toEqual(["weather", "web"]);
  expect(await inBash(["list", "--config", file, ""])).toEqual(["weather", "web"]);
});

const shells = ["bash", "zsh", "fish"].filter((shell) => spawnSync(shell, ["--version"]).status === 0);

test.each(shells)("%s reads its script", async (shell) => {
  const { code, stdout } = await tenon(["completion", shell]);
  expect(code).toBe(0);
  const { status, stderr } = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("an unknown shell is refused", async () => {
  expect(await tenon(["completion", "tcsh"])).toMatchObject({ code: 2, stderr: expect.stringContaining("bash, zsh, fish") as string });
});
