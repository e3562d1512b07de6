// `tenon watch`: what a server says reaches stdout as it says it, on both families of revisions.
import { expect, onTestFinished, test, vi } from "vitest";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { runCommand } from "./run-command.ts";

vi.setConfig({ testTimeout: 60_000 });

test.each(["2026-07-28", "2025-11-25"])("changes are lines, with what has changed, on %s", async (revision) => {
  const server = new McpServer({ name: "news", version: "1.0.0" });
  const first = server.tool("first", {}, () => "");
  server.resource("note://today", {}, () => "Buy milk");
  const endpoint = await serveHttp(server, { port: 0 });
  onTestFinished(() => endpoint.close());
  const steps = [
    (): unknown => server.tool("second", {}, () => ""),
    (): unknown => first.update({ description: "changed" }),
    (): unknown => first.remove(),
    (): unknown => server.resourceUpdated("note://today"),
  ];
  let done = -1;
  const { code, stdout } = await runCommand(["watch", endpoint.url, "--uri", "note://today", "--revision", revision], {
    onStderr: (text) => {
      if (done < 0 && text.includes("until Ctrl-C")) steps[++done]!();
    },
    onStdout: (text, kill) => {
      if (text.split("\n").length - 1 <= done) return;
      if (++done < steps.length) steps[done]!();
      else kill("SIGINT");
    },
  });
  expect({ code, lines: stdout.split("\n").map((line) => line.slice(9)) }).toEqual({
    code: 0,
    lines: [
      "tools have changed: +second",
      "tools have changed: ~first",
      "tools have changed: -first",
      "resource note://today has changed",
      "",
    ],
  });
});

test("--json prints one document on each line", async () => {
  const server = new McpServer({ name: "news", version: "1.0.0" });
  server.tool("first", {}, () => "");
  const endpoint = await serveHttp(server, { port: 0 });
  onTestFinished(() => endpoint.close());
  let isWatched = false;
  const { stdout } = await runCommand(["watch", endpoint.url, "--json"], {
    onStderr: (text) => {
      if (!isWatched && text.includes("until Ctrl-C")) server.tool("second", {}, () => "");
      isWatched ||= text.includes("until Ctrl-C");
    },
    onStdout: (_text, kill) => kill("SIGINT"),
  });
  expect(JSON.parse(stdout)).toEqual({
    at: expect.any(String) as string,
    kind: "tools",
    added: ["second"],
    removed: [],
    changed: [],
  });
});
