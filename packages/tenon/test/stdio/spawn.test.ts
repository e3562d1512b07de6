// Starting a server: what it gets, what it does not get, and what a failure says.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { getDefaultEnvironment, spawnServer } from "tenon/node";
import { spawnServer as standIn } from "../../src/client/program/no-child-process.ts";
import { ConnectionClosedError, McpUsageError } from "../../src/jsonrpc/mcp-error.ts";
import { isAlive, nextNotification, ODD_SERVER, rejection, spawnOdd } from "./support.ts";

const echo = { command: process.execPath, args: [ODD_SERVER, "echo"] };

test("a command that does not exist: errno and arguments are said, the environment is not [fault S1 ST-10]", async () => {
  const error = await rejection(spawnServer({ command: "/does/not/exist", args: ["--port", "1"], env: { TOKEN: "s3cret" } }));
  expect(error).toBeInstanceOf(ConnectionClosedError);
  expect(error).toMatchObject({
    message: 'Cannot start the server "/does/not/exist" "--port" "1": ENOENT',
    data: { code: "ENOENT", command: "/does/not/exist", args: ["--port", "1"] },
  });
  expect(JSON.stringify([error, String((error as Error).stack), (error as Error).cause])).not.toContain("s3cret");
});

test("a file that is not executable, and a working directory that does not exist [fault S1 ST-10]", async () => {
  const directory = mkdtempSync(join(tmpdir(), "tenon-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "server");
  writeFileSync(file, "no program");
  chmodSync(file, 0o600);
  await expect(spawnServer({ command: file })).rejects.toThrow("EACCES");
  await expect(spawnServer({ ...echo, cwd: join(directory, "nowhere") })).rejects.toThrow(
    /the working directory ".*nowhere" does not exist/,
  );
});

test.each([
  ["command", { command: "a\0b" }],
  ["args", { command: "a", args: ["\0"] }],
  ["cwd", { command: "a", cwd: "\0" }],
  ["env", { command: "a", env: { TOKEN: "s3cret\0" } }],
])("a NUL character in %s is refused without showing its value [ST-11]", async (name, parameters) => {
  const error = await rejection(spawnServer(parameters));
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(`"${name}"`);
  expect(String(error)).not.toContain("s3cret");
});

test("an abort before and during the start leaves no process [ST-13 ST-14 S20]", async () => {
  const reason = new Error("changed my mind");
  await expect(spawnServer(echo, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const before = childPids();
  // The waits inside the start, one after the other.
  for (let turns = 0; turns < 6; turns++) {
    const abort = new AbortController();
    const starting = spawnServer({ ...echo, timeouts: { exit: 0 } }, { signal: abort.signal });
    for (let turn = 0; turn < turns; turn++) await (turn % 2 === 0 ? undefined : new Promise(setImmediate));
    abort.abort(reason);
    await starting.then(
      (server) => server.close(),
      (error: unknown) => expect(error).toBe(reason),
    );
  }
  expect(childPids()).toEqual(before);
});

test("the environment is the allow-list and what is named, nothing else [ST-03 ST-07 S22 C.9]", async () => {
  vi.stubEnv("SECRET_TOKEN", "s3cret");
  vi.stubEnv("NODE_OPTIONS", "--no-deprecation");
  vi.stubEnv("LD_LIBRARY_PATH", "/nowhere");
  vi.stubEnv("TERM", "() { :; }; echo vulnerable");
  vi.stubEnv("USER", "somebody");
  const server = await spawnOdd("environment", "", { env: { EXTRA: "1", LD_LIBRARY_PATH: "/named" } });
  const { params } = await nextNotification(server);
  expect(params).toMatchObject({ EXTRA: "1", LD_LIBRARY_PATH: "/named", USER: "somebody", PATH: process.env["PATH"] });
  const allowed = new Set(["HOME", "LOGNAME", "PATH", "SHELL", "USER", "EXTRA", "LD_LIBRARY_PATH"]);
  expect(Object.keys(params ?? {}).filter((name) => !allowed.has(name))).toEqual([]);
  await server.close();
});

test("the default environment has the six names of POSIX where they are set, and no shell functions [ST-07]", () => {
  for (const name of ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"]) vi.stubEnv(name, `/${name}`);
  expect(getDefaultEnvironment()).toEqual({
    HOME: "/HOME",
    LOGNAME: "/LOGNAME",
    PATH: "/PATH",
    SHELL: "/SHELL",
    TERM: "/TERM",
    USER: "/USER",
  });
  vi.stubEnv("SHELL", "() { echo; }");
  vi.stubEnv("TERM", undefined);
  expect(Object.keys(getDefaultEnvironment())).toEqual(["HOME", "LOGNAME", "PATH", "USER"]);
});

test("arguments arrive word for word, in the working directory asked for [ST-01 ST-02 ST-04 S23]", async () => {
  const args = ["$(id)", "`id`", "a b", "*", '"', "'", ";", "|", "\\", "é", ""];
  const server = await spawnServer({
    command: process.execPath,
    args: [ODD_SERVER, "argv", ...args],
    cwd: new URL("file:///tmp/"),
  });
  expect((await nextNotification(server)).params).toEqual({ argv: args, cwd: "/tmp" });
  await server.close();
  expect(isAlive(server.pid)).toBe(false);
});

test("a platform without child processes says so", async () => {
  await expect(standIn({ command: "npx" })).rejects.toThrow(McpUsageError);
});

/** Child processes of this one, by the kernel's own list. */
function childPids(): string[] {
  return readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").split(" ").filter(Boolean);
}
