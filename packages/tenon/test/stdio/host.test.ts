/** What becomes of a server when the process that started it is gone, with the package as it was built. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, killGroup } from "./support.ts";

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

test.each([
  ["at rest", "none"],
  ["in the middle of a call", "hang"],
])("a server whose host is killed %s sees the end of its input and exits [S21 T1 C.6]", async (_when, tool) => {
  const host = spawn(process.execPath, [file("fixtures/host.mjs"), file("fixtures/hanging-server.mjs"), tool], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void host.kill("SIGKILL"));
  const { value } = (await createInterface({ input: host.stdout })[Symbol.asyncIterator]().next()) as { value: string };
  const { server } = JSON.parse(value) as { server: number };
  onTestFinished(() => {
    if (isAlive(server)) killGroup(server);
  });
  expect(isAlive(server)).toBe(true);
  host.kill("SIGKILL");
  await expect.poll(() => isAlive(server)).toBe(false);
});

test("a server that ignores the end of its input gets SIGTERM when its host exits in the middle of closing it", async () => {
  const host = spawn(process.execPath, [file("fixtures/leaving-host.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void host.kill("SIGKILL"));
  const { value } = (await createInterface({ input: host.stdout })[Symbol.asyncIterator]().next()) as { value: string };
  const server = Number(value);
  onTestFinished(() => {
    if (isAlive(server)) killGroup(server);
  });
  expect(server).toBeGreaterThan(0);
  await expect.poll(() => isAlive(server)).toBe(false);
});
