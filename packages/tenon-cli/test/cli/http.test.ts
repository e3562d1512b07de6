// The command against a server of its own over HTTP, and what it says where there is none.
import { expect, test, vi } from "vitest";
import { runCommand } from "./run-command.ts";
import { fixture, startCommand } from "./start-command.ts";

vi.setConfig({ testTimeout: 30_000 });

test.each([
  ["", "sums.mjs"],
  [", also a file that reads stdin for a reason of its own", "keys.mjs"],
])("run --http serves until it is interrupted%s, and a URL is a server like any other", async (_, name) => {
  let called: Promise<{ code: number | null; stdout: string }> | undefined;
  const ended = await startCommand(["run", fixture(name), "--http", "--port", "0"], {
    onStderr: (text, kill) => {
      const url = /at (http:\/\/127\.0\.0\.1:\d+\/mcp)\./.exec(text)?.[1];
      if (url === undefined || called !== undefined) return;
      called = runCommand(["call", url, "add", "--arg", "a=1", "--arg", "b=2", "--header", "X-Who: test"]).finally(() =>
        kill("SIGINT"),
      );
    },
  });
  expect(await called).toMatchObject({ code: 0, stdout: expect.stringContaining("3") as string });
  expect(ended.stdout).toBe("");
  expect(ended.code).toBe(0);
});

test("3: a URL where no server listens", async () => {
  const { code, stdout, stderr } = await runCommand(["list", "http://127.0.0.1:9/mcp"]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toContain("Cannot connect");
});
