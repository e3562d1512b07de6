import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { fileStore } from "tenon/node";
import { asked, authorizationServer, login, protect } from "./support.ts";
import { gate } from "../support/gate.ts";

const PROGRAM = fileURLToPath(new URL("refreshing-client.mjs", import.meta.url));

interface Said {
  ready?: boolean;
  opened?: boolean;
  done?: string[];
}

/** A process, and what it says, in order. */
function start(url: string, directory: string): { child: ChildProcess; said: () => Promise<Said> } {
  const child = spawn(process.execPath, [PROGRAM, url, directory], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { child, said: async () => JSON.parse(String((await lines.next()).value)) as Said };
}

test("two processes on a file store, eight refused calls each: one refresh, no login, no call lost [M5.3 fault O7]", async () => {
  const directory = mkdtempSync(join(tmpdir(), "tenon-auth-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const as = await authorizationServer();
  const server = await protect(as);
  const first = await connect(server.url, { auth: login({ store: fileStore({ directory }) }) });
  await first.close();
  const processes = [start(server.url, directory), start(server.url, directory)];
  for (const { said } of processes) expect(await said()).toEqual({ ready: true });

  // All sixteen calls arrive before the first of them is refused, and the refresh takes its time.
  const [token] = server.tokens();
  server.guarding.expired.add(token!);
  let arrived = 0;
  const { opened: all, open: everybody } = gate();
  server.guarding.before = async () => {
    if (++arrived === 16) everybody();
    await all;
  };
  as.settings.before = ({ endpoint }) =>
    endpoint === "token" ? new Promise((resolve) => void setTimeout(resolve, 300)) : undefined;
  for (const { child } of processes) child.stdin!.write("go\n");

  for (const { said } of processes) expect(await said()).toEqual({ done: Array.from({ length: 8 }, () => "fulfilled") });
  expect(asked(as, "token", "refresh_token")).toHaveLength(1);
  expect(asked(as, "authorize")).toHaveLength(1);
  expect(server.tokens()).toHaveLength(2);
  expect(server.sent.filter(({ status }) => status === 401).length).toBe(17); // one before anybody logged in
  const files = readdirSync(directory);
  expect(files.filter((name) => !name.endsWith(".json"))).toEqual([]);
  expect(files.map((name) => readFileSync(join(directory, name), "utf8")).join()).toContain(server.tokens()[1]);
});
