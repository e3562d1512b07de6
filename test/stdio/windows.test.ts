/** How commands are found and quoted on Windows, where `npx` is a batch file and batch files need `cmd.exe`. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("fixtures/as-windows.mjs", import.meta.url));

/** What was started, and its arguments. `FOLDER` stands for the folder of the files. */
function started(files: readonly string[], command: string, ...args: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "windows-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  for (const name of files) {
    if (name === "server.exe") symlinkSync(process.execPath, join(folder, name));
    else writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$0" "$@" > '${log}'\n`, { mode: 0o755 });
  }
  spawnSync(process.execPath, [program, folder, command, ...args.map((arg) => (arg === "FOLDER" ? folder : arg))], { timeout: 8_000 });
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => line.replace(`${folder}/`, ""));
}

test("ST-09 ST-02 S23 a batch file is found by its extension and started by cmd.exe, with every argument quoted for it", () => {
  const [comspec, ...args] = started(["npx.cmd", "cmd.exe"], "npx", "-y", "a b", "c&d", 'e"f', "%PATH%", "g\\");
  expect(comspec).toBe("cmd.exe");
  expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
  expect(args.slice(3)).toEqual([String.raw`"npx ^"-y^" ^"a^ b^" ^"c^&d^" ^"e\^"f^" ^"^%PATH^%^" ^"g\\^""`]);
});

test("ST-09 S23 an executable is started as it is, without cmd.exe", () => {
  const write = "require('fs').writeFileSync(process.argv[1] + '/log', ['itself', ...process.argv.slice(2)].join('\\n'))";
  expect(started(["server.exe", "cmd.exe"], "server.exe", "-e", write, "FOLDER", "a b", "c&d")).toEqual(["itself", "a b", "c&d"]);
});
