// Completion in the shells themselves: bash, zsh and fish. Where one of them is missing, the file is left out.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needs } from "../../../tenon/test/support/needs.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { MAIN } from "./start-command.ts";

vi.setConfig({ testTimeout: 60_000 });

/**
 * Programs that read the script and print what it offers; the script is `$1`, the words are the other arguments, and the last of
 * them is being typed.
 */
const PROGRAMS = {
  bash: [
    "--norc",
    "-c",
    'eval "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon_complete; complete -p tenon >&2; ' +
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    "bash",
  ],
  zsh: [
    "-f",
    "-c",
    `compdef() { [[ "$*" == "_tenon tenon" ]] || exit 3 }; compadd() { shift; print -rl -- "$@" }; _files() { :; }
    eval "$1"; shift; words=("$@"); CURRENT=$#; _tenon`,
    "zsh",
  ],
  fish: [
    "--no-config",
    "-c",
    'echo $argv[1] | source; complete -C (string join " " -- (string escape -- $argv[2..-2])" ")$argv[-1]',
  ],
};
type Shell = keyof typeof PROGRAMS;
const SHELLS = Object.keys(PROGRAMS) as Shell[];

needs(...SHELLS);

/** What a shell offers after these words, of which the last is being typed; in a folder of its own. */
async function offeredBy(shell: Shell, words: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-shell-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "tenon"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const { stdout: script } = await runCommand(["completion", shell]);
  const output = execFileSync(shell, [...PROGRAMS[shell], script, "tenon", ...words], {
    env: { PATH: `${folder}:${process.env["PATH"]}`, HOME: folder },
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return output.split("\n").filter((line) => line !== "");
}

test.each([
  [["inst"], ["install"]],
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
])("every shell offers for %j", async (words, offered) => {
  for (const shell of SHELLS) expect((await offeredBy(shell, words)).sort(), shell).toEqual(offered.sort());
});

test.each([[["call", "server.ts", ""]], [["list", "--", "node", "--"]]])("bash and zsh offer files for %j", async (words) => {
  for (const shell of ["bash", "zsh"] as const) expect(await offeredBy(shell, words), shell).toEqual([]);
});

test("fish offers files where there is nothing else to offer", async () => {
  expect(await offeredBy("fish", ["call", "./te"])).toEqual(["./tenon"]);
});

test("the names of a configuration are offered, and none that a shell would read as something else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tenon-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { weather: {}, "$(touch x)": {}, web: {} } }));
  for (const shell of SHELLS) {
    expect(await offeredBy(shell, ["list", "--config", file, "we"]), shell).toEqual(["weather", "web"]);
    expect(await offeredBy(shell, ["list", "--config", file, ""]), shell).toEqual(["weather", "web"]);
  }
});

test("an unknown shell is refused", async () => {
  expect(await runCommand(["completion", "tcsh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("bash, zsh, fish") as string,
  });
});
