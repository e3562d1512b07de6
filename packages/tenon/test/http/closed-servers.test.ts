// A server that was closed while an endpoint still listens: clients and the operator learn what closed it. And endpoints as
// disposables.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect, McpServer } from "tenon";
import { createGateway, type Gateway } from "tenon/gateway";
import { openJsonLines, serveHttp } from "tenon/node";

/** What can be served, with the messages that its `onError` gets. */
const KINDS: Readonly<Record<string, (told: string[]) => McpServer | Gateway>> = {
  server: (told) => new McpServer({ name: "sums", version: "1.0.0" }, { onError: (error) => told.push(String(error)) }),
  gateway: (told) => createGateway({ servers: {}, onError: (error) => told.push(String(error)) }),
};

const CASES = Object.keys(KINDS).flatMap((kind) => ["2025-11-25", "2026-07-28"].map((revision) => [kind, revision] as const));

test.each(CASES)(
  'a %s that "await using" has closed says so to a client of %s, and once to onError [P4]',
  async (kind, revision) => {
    const told: string[] = [];
    const served = KINDS[kind]!(told);
    const http = await serveHttp(served, { port: 0 });
    onTestFinished(() => http.close());
    await served[Symbol.asyncDispose]();
    await served.close();
    for (const _ of [1, 2])
      await expect(connect(http.url, { revision: revision as "2025-11-25" })).rejects.toThrow("The server was closed");
    expect(told).toEqual([
      expect.stringMatching(new RegExp(`^McpUsageError: This ${kind} is closed: "await using" closes it at the end of the`)),
    ]);
  },
);

test.each(Object.keys(KINDS))("a %s on which close() was called names close() [P4]", async (kind) => {
  const told: string[] = [];
  const served = KINDS[kind]!(told);
  await served.close();
  await expect(connect(served)).rejects.toThrow("Connection closed");
  expect(told).toEqual([`McpUsageError: This ${kind} is closed: close() was called`]);
});

test.each(Object.keys(KINDS))('the end of an endpoint with "await using" frees the port and closes the %s [P4]', async (kind) => {
  const told: string[] = [];
  const served = KINDS[kind]!(told);
  let url = "";
  {
    await using http = await serveHttp(served, { port: 0 });
    url = http.url;
  }
  await expect(fetch(url)).rejects.toThrow("fetch failed");
  await expect(connect(served)).rejects.toThrow("Connection closed");
  expect(told).toEqual([`McpUsageError: This ${kind} is closed: close() was called`]);
});

test("close() of an endpoint leaves its server open [P4]", async () => {
  await using server = new McpServer({ name: "sums", version: "1.0.0" });
  const http = await serveHttp(server, { port: 0 });
  await http.close();
  await using client = await connect(server);
  expect(client.serverInfo?.name).toBe("sums");
});

test('a log that "await using" has closed does not blame the disk [P4]', async () => {
  const told: string[] = [];
  const log = openJsonLines(join(mkdtempSync(join(tmpdir(), "log-")), "audit.jsonl"), {
    onError: ({ message }) => told.push(message),
  });
  await log[Symbol.asyncDispose]();
  log.write({ who: "ada" });
  log.write({ who: "bob" });
  expect(told).toEqual([expect.stringContaining('the log is closed: "await using" closes it')]);
  expect(log.dropped).toBe(2);
});
