/** What Windows does differently: commands are batch files that need `cmd.exe`, lines end in CRLF, and pipes take their time. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveStdio } from "tenon/node";
import { environmentOf } from "../../src/node/processes/child-environment.ts";
import { retryWhileBusy } from "../../src/node/windows.ts";
import { testServer } from "../support/test-server.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** What was started, and its arguments. `FOLDER` stands for the folder of the files. */
function started(files: readonly string[], command: string, ...args: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "windows-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  for (const name of files) {
    if (name === "server.exe") symlinkSync(process.execPath, join(folder, name));
    else writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$0" "$@" > '${log}'\n`, { mode: 0o755 });
  }
  spawnSync(
    process.execPath,
    [fixture("as-windows.mjs"), folder, command, ...args.map((arg) => (arg === "FOLDER" ? folder : arg))],
    {
      timeout: 8_000,
    },
  );
  const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
  return lines.map((line) => line.replace(`${folder}/`, ""));
}

test("a batch file is found by its extension and started by cmd.exe, with every argument quoted for it [ST-09 ST-02 S23]", () => {
  const [comspec, ...args] = started(["npx.cmd", "cmd.exe"], "npx", "-y", "a b", "c&d", 'e"f', "%PATH%", "g\\");
  expect(comspec).toBe("cmd.exe");
  expect(args.slice(0, 3)).toEqual(["/d", "/s", "/c"]);
  expect(args.slice(3)).toEqual([String.raw`"npx ^"-y^" ^"a^ b^" ^"c^&d^" ^"e\^"f^" ^"^%PATH^%^" ^"g\\^""`]);
});

test("an executable is started as it is, without cmd.exe [ST-09 S23]", () => {
  const write = "require('fs').writeFileSync(process.argv[1] + '/log', ['itself', ...process.argv.slice(2)].join('\\n'))";
  expect(started(["server.exe", "cmd.exe"], "server.exe", "-e", write, "FOLDER", "a b", "c&d")).toEqual(["itself", "a b", "c&d"]);
});

/** How the programs of the system were called while a client on Windows did that, and what the client said. */
function asWindows(what: string): { calls: () => string[]; said: { pid?: number; first?: string } } {
  const folder = mkdtempSync(join(tmpdir(), "windows-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "System32"));
  symlinkSync(process.execPath, join(folder, "server.exe"));
  const log = join(folder, "log");
  for (const name of ["taskkill.exe", "rundll32.exe"]) {
    const kill = name === "taskkill.exe" ? '/bin/kill -9 "$2"\n' : "";
    writeFileSync(join(folder, "System32", name), `#!/bin/sh\necho ${name} "$@" >> '${log}'\n${kill}`, { mode: 0o755 });
  }
  const { stdout } = spawnSync(process.execPath, [fixture("ends-as-windows.mjs"), folder, fixture("odd-server.mjs"), what], {
    timeout: 9_000,
  });
  const calls = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : []);
  return { calls, said: JSON.parse(String(stdout) || "{}") as { pid?: number } };
}

test("a server that does not end is killed with all it has started, by the system's own taskkill [S8 ST-54]", () => {
  const { calls, said } = asWindows("ignoresEnd");
  expect(said.first).toBe("ready");
  expect(calls()).toEqual([`taskkill.exe /pid ${said.pid} /T /F`]);
});

test("what has exited by itself is not killed any more, whichever process has its id now [S8]", () => {
  const { calls, said } = asWindows("exits");
  expect(said.pid).toBeGreaterThan(0);
  expect(calls()).toEqual([]);
});

test("a page is opened by the system's own program, as one argument [R17]", async () => {
  const { calls } = asWindows("browses");
  // The client has asked for the program and is gone; the program may only be starting.
  await expect.poll(() => calls()).toEqual(["rundll32.exe url.dll,FileProtocolHandler https://example.com/?a=1&b=2"]);
});

test("programs on Windows find their folders, and what is named for one wins in any spelling [ST-07 ST-03 S22]", () => {
  const own = { PATH: "C:\\own", COMSPEC: "C:\\cmd.exe", WINDIR: "C:\\Windows", TOKEN: "s3cret", TEMP: "() { x }" };
  expect(environmentOf({}, own, "win32")).toEqual({ PATH: "C:\\own", COMSPEC: "C:\\cmd.exe", WINDIR: "C:\\Windows" });
  expect(environmentOf({ Path: "C:\\named", A: "1" }, own, "win32")).toEqual({
    Path: "C:\\named",
    COMSPEC: "C:\\cmd.exe",
    WINDIR: "C:\\Windows",
    A: "1",
  });
  expect(environmentOf({ Path: "/named" }, { PATH: "/own" }, "linux")).toEqual({ PATH: "/own", Path: "/named" });
});

test("a file that is open is tried again on Windows, for two seconds; elsewhere, and for other errors, it is not", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const fails = (times: number, code: string): (() => Promise<string>) => {
    const work = vi.fn<() => Promise<string>>().mockResolvedValue("done");
    for (let count = 0; count < times; count++) work.mockRejectedValueOnce(Object.assign(new Error(code), { code }));
    return work;
  };
  const after = async (ms: number, work: Promise<string>): Promise<unknown> => {
    const settled = Promise.race([
      work.catch((error: unknown) => error),
      new Promise((resolve) => setTimeout(resolve, ms + 1, "waits")),
    ]);
    await vi.advanceTimersByTimeAsync(ms + 2);
    return settled;
  };
  expect(await after(1_000, retryWhileBusy(fails(5, "EPERM"), "win32"))).toBe("done");
  expect(await after(500, retryWhileBusy(fails(99, "EBUSY"), "win32"))).toBe("waits");
  expect(await after(2_000, retryWhileBusy(fails(99, "EACCES"), "win32"))).toMatchObject({ code: "EACCES" });
  expect(await after(0, retryWhileBusy(fails(1, "ENOENT"), "win32"))).toMatchObject({ code: "ENOENT" });
  expect(await after(0, retryWhileBusy(fails(1, "EPERM"), "linux"))).toMatchObject({ code: "EPERM" });
});

/** A server on streams that behave as pipes do there. */
function served(stdout: Writable): { stdin: PassThrough; ended: Promise<void> } {
  const stdin = new PassThrough();
  const server = testServer();
  server.tool("slow", {}, () => new Promise<string>((resolve) => setTimeout(() => resolve("slow"), 20)));
  return { stdin, ended: serveStdio(server, { stdin, stdout, onError: () => undefined }) };
}
const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\r\n`;
const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
const conversation = [
  line({ id: 1, method: "initialize", params: hello }),
  line({ method: "notifications/initialized" }),
  line({ id: 2, method: "tools/call", params: { name: "slow" } }),
];

test.each([
  ["ends", (stdin: PassThrough) => void stdin.end()],
  ["fails with EOF", (stdin: PassThrough) => void stdin.destroy(Object.assign(new Error("read EOF"), { code: "EOF" }))],
])(
  "lines may end in CRLF, a pipe that %s is a client that is done, and slow pipes get all responses before the end [T1 ST-70]",
  async (_how, end) => {
    const written: string[] = [];
    let writing = 0;
    const stdout = new Writable({
      decodeStrings: false,
      highWaterMark: 16,
      write(text: string, _encoding, done) {
        writing++;
        setTimeout(() => {
          writing--;
          written.push(text);
          done();
        }, 20);
      },
    });
    const { stdin, ended } = served(stdout);
    for (const text of conversation) stdin.write(text);
    await expect.poll(() => writing + written.length).toBeGreaterThan(0); // the greeting is on its way
    end(stdin);
    await ended;
    expect(writing).toBe(0);
    const answers = written
      .join("")
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text) as { id: number; result: object });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1]!.result).toEqual({ content: [{ type: "text", text: "slow" }] });
  },
);
