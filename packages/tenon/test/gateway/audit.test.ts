/** The audit log: what a record says and does not say, over transports and revisions, and a file that never slows a call. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer } from "tenon";
import { createGateway, type AuditRecord, type GatewayOptions } from "tenon/gateway";
import { openJsonLines } from "tenon/node";
import * as z from "zod";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";

function shop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1.0.0" });
  server.tool("buy", { input: z.object({ card: z.string() }) }, ({ card }) => `paid with ${card}`);
  server.tool("break", {}, (_input, ctx) => ctx.fail("The shop is closed"));
  server.tool("steal", {}, () => "stolen");
  server.tool("ask", {}, async (_input, ctx) => ((await ctx.confirm("sure", "Sure?")) ? "yes" : "no"));
  server.tool(
    "wait",
    {},
    (_input, ctx) =>
      new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error))),
  );
  server.resource("shop://list", {}, () => "tea");
  return server;
}

function audited(
  options: Partial<GatewayOptions> = {},
  contents = false,
): { gateway: ReturnType<typeof createGateway>; records: AuditRecord[] } {
  const records: AuditRecord[] = [];
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { shop: shop() },
    policy: ({ name }) => name !== "steal",
    onError: () => undefined,
    audit: { write: (record) => records.push(record), contents },
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, records };
}

/** The records of what a client calls, reads and gets. */
function used(records: readonly AuditRecord[]): AuditRecord[] {
  return records.filter(({ method }) => ["tools/call", "resources/read"].includes(method));
}

describeMatrix("audit", ({ connect: open }) => {
  it("records who asked what of which server, how long it took and how it ended, and no contents", async () => {
    const { gateway, records } = audited();
    const client = await open(gateway, { clientInfo: { name: "desk", version: "1.0.0" } });
    await client.callTool("shop__buy", { card: "4711-secret" });
    await client.callTool("shop__break");
    await client.readResource("shop://list");
    await client.callTool("shop__steal").catch(() => undefined);
    await client.callTool("none__buy").catch(() => undefined);
    expect(used(records)).toMatchObject([
      { method: "tools/call", name: "shop__buy", server: "shop", outcome: "ok", client: "desk" },
      { method: "tools/call", name: "shop__break", server: "shop", outcome: "tool_error" },
      { method: "resources/read", name: "shop://list", server: "shop", outcome: "ok" },
      { method: "tools/call", name: "shop__steal", server: "shop", outcome: "denied", code: -32602 },
      { method: "tools/call", name: "none__buy", outcome: "error", code: -32602 },
    ]);
    for (const { time, ms } of records) {
      expect(Date.parse(time)).not.toBeNaN();
      expect(ms).toBeGreaterThanOrEqual(0);
    }
    expect(JSON.stringify(records)).not.toContain("4711");
  });

  it("records a call that the client cancels", async () => {
    const { gateway, records } = audited();
    const client = await open(gateway);
    const abort = new AbortController();
    const running = new Promise<void>((resolve) => {
      gateway.use("tools/call", (next) => (context) => {
        resolve();
        return next(context);
      });
    });
    const call = client.callTool("shop__wait", {}, { signal: abort.signal });
    call.catch(() => undefined);
    await running;
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await expect.poll(() => used(records), { timeout: 60_000 }).toMatchObject([{ name: "shop__wait", outcome: "cancelled" }]);
  });
});

describeMatrix(
  "audit, with questions",
  ({ connect: open }) => {
    it("records each round of a call, and its contents if asked", async () => {
      const { gateway, records } = audited({}, true);
      const client = await open(gateway, { onElicit: () => ({ action: "accept", content: { confirm: true } }) });
      await client.callTool("shop__ask");
      await client.callTool("shop__buy", { card: "4711" });
      const rounds = used(records);
      expect(rounds.at(-1)).toMatchObject({
        params: { arguments: { card: "4711" } },
        result: { content: [{ text: "paid with 4711" }] },
      });
      expect(rounds.slice(0, -1).map(({ outcome }) => outcome)).toEqual(
        client.protocolVersion === "2026-07-28" ? ["input_required", "ok"] : ["ok"],
      );
      for (const { params } of rounds) expect(params).not.toHaveProperty("_meta");
    });
  },
  REVISIONS.filter((revision) => revision >= "2025-06-18"),
);

describe("audit", () => {
  it("names the principal and the trace, and the tool that call_tool calls", async () => {
    const { gateway, records } = audited({ search: true });
    await using client = await connect(gateway);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await client.callTool("call_tool", { name: "shop__buy", arguments: { card: "1" } }, { meta: { traceparent } });
    expect(used(records)).toMatchObject([{ name: "shop__buy", server: "shop", trace: "4bf92f3577b34da6a3ce929d0e0e4736" }]);
  });

  it("does not fail a call if the log throws", async () => {
    const errors: string[] = [];
    const write = (): never => {
      throw new Error("The log is broken");
    };
    const { gateway } = audited({ audit: { write }, onError: ({ message }) => errors.push(message) });
    await using client = await connect(gateway);
    expect((await client.callTool("shop__buy", { card: "1" })).text).toBe("paid with 1");
    expect(errors).toContain("The log is broken");
  });
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "tenon-audit-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

function linesOf(path: string): unknown[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

describe("openJsonLines", () => {
  it("writes each record as one line that only the owner can read, whatever it holds", async () => {
    const path = join(await folder(), "audit.jsonl");
    const log = openJsonLines(path);
    const records = [{ name: "a\nb\u2028c" }, { name: "d" }];
    for (const record of records) log.write(record);
    await log.close();
    expect(linesOf(path)).toEqual(records);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  // A named pipe without a reader is a disk that does not take anything.
  it("drops records while the disk does not take them, and says how many", async () => {
    const path = join(await folder(), "pipe");
    execFileSync("mkfifo", [path]);
    const errors: string[] = [];
    const log = openJsonLines(path, { maxQueued: 100, onError: ({ message }) => errors.push(message) });
    for (let index = 0; index < 50; index++) log.write({ index });
    expect(log.dropped).toBeGreaterThan(0);
    expect(errors).toEqual([expect.stringContaining("maxQueued")]);
    const kept = 50 - log.dropped;
    // It reads and writes, so that the pipe does not end between two writes of the log.
    const reader = spawn("sh", ["-c", 'exec cat <>"$1"', "sh", path], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void reader.kill());
    const input = reader.stdout;
    const lines: Record<string, unknown>[] = [];
    const read = (async () => {
      for await (const line of createInterface({ input })) {
        lines.push(JSON.parse(line) as Record<string, unknown>);
        if (lines.length === kept + 1) return;
      }
    })();
    await log.close();
    await read;
    expect(lines.filter(({ index }) => index !== undefined)).toHaveLength(kept);
    expect(lines.find(({ dropped }) => dropped !== undefined)).toMatchObject({ dropped: 50 - kept });
  });

  it("reports once that the file cannot be written, and goes on when it can", async () => {
    const path = join(await folder(), "later", "audit.jsonl");
    const errors: string[] = [];
    const log = openJsonLines(path, { onError: ({ message }) => errors.push(message) });
    log.write({ index: 0 });
    await expect.poll(() => log.dropped, { timeout: 60_000 }).toBe(1);
    log.write({ index: 1 });
    await expect.poll(() => log.dropped, { timeout: 60_000 }).toBe(2);
    expect(errors).toEqual([expect.stringContaining("ENOENT")]);
    mkdirSync(join(path, ".."));
    log.write({ index: 2 });
    await log.close();
    expect(linesOf(path)).toEqual([expect.objectContaining({ dropped: 2 }), { index: 2 }]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])("writes a record that comes while a write ends, %i promises later", async (promises) => {
    const path = join(await folder(), "missing", "audit.jsonl"); // a failure shows when a write ends
    const written = new Promise<void>((resolve, reject) => {
      const log = openJsonLines(path, { onError: () => void next().then(resolve, reject) });
      const next = async (): Promise<void> => {
        for (let count = 0; count < promises; count++) await Promise.resolve();
        log.write({ index: 1 });
        await log.close();
        expect(log.dropped).toBe(2);
      };
      log.write({ index: 0 });
    });
    await written;
  });

  it("refuses options that do not exist or are out of range", () => {
    expect(() => openJsonLines("x", { max: 1 } as never)).toThrow('Unknown option "max"');
    expect(() => openJsonLines("x", { maxQueued: 0 })).toThrow(RangeError);
  });
});
