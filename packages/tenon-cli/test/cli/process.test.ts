// What only a process shows of the command: its streams and exit code, signals, and a reader that leaves. Needs a build.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture, MAIN, startCommand } from "./start-command.ts";

// Several processes a test, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 });

const sums = fixture("sums.mjs");

test.each([
  ["a result", ["call", sums, "add", "--arg", "a=1", "--arg", "b=2"], 0],
  ["a tool that fails", ["call", sums, "fail"], 1],
  ["a mistake", ["list", "./nowhere.ts"], 2],
  ["a server that cannot be started", ["list", "no-such-command-anywhere"], 3],
  ["help", ["call", "--help"], 0],
])("a process prints %s, and exits, as the command does in the process of a test", async (_, args, code) => {
  const started = await startCommand(args);
  expect(started.code).toBe(code);
  expect(started).toEqual(await runCommand(args));
});

test("an environment and a folder are those of the process", async () => {
  const where = { cwd: fixture("."), env: { SECRET: "s3cret" } };
  const { code, stdout } = await startCommand(["call", "sums.mjs", "env", "--arg", "name=SECRET", "--env", "SECRET"], where);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "s3cret\n" });
});

test.each([["SIGINT", 130] as const, ["SIGTERM", 143] as const, ["SIGHUP", 129] as const])(
  "%s ends the call and the server, with %i",
  async (signal, expected) => {
    // The server says its pid once it runs, then never answers.
    const program = "console.error('pid', process.pid); process.stdin.resume()";
    const { code, stdout, stderr } = await startCommand(["list", "--", process.execPath, "-e", program], {
      onStderr: (text, kill) => {
        if (/^pid \d+\n$/.test(text)) kill(signal);
      },
    });
    expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
    const pid = /pid (\d+)/.exec(stderr)![1]!;
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  },
);

test("a reader that leaves early is no failure", () => {
  const output = execFileSync("sh", ["-c", '"$0" "$1" list "$2" --json | head -c 1', process.execPath, MAIN, sums], {
    encoding: "utf8",
    timeout: 25_000,
  });
  expect(output).toBe("{");
});

test("the second Ctrl-C ends it at once, with what still runs", async () => {
  // The server ignores the end of its input and every signal but SIGKILL.
  const program = "process.on('SIGTERM', () => {}); console.error('up'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, [MAIN, "list", "--", process.execPath, "-e", program], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(child.stderr, "data");
  child.kill("SIGINT");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
});
