/** Log messages whose data has no JSON form: the caller gets an error, and nothing else happens. */
import { expect, it } from "vitest";
import type { LoggingMessageNotificationParams } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const loop: { self?: unknown } = {};
loop.self = loop;

describeMatrix("Data of log messages", ({ connect }) => {
  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a bigint", { n: 1n }],
    ["a cycle", loop],
    ["a toJSON that throws", { toJSON: () => JSON.parse("{") as unknown }],
    ["a toJSON that says nothing", { toJSON: () => undefined }],
  ])("%s is the handler's mistake, which it hears of; the client hears the next [K6.1 F12]", async (_title, data) => {
    const server = testServer();
    const told: unknown[] = [];
    server.tool("log", {}, async (_input, ctx) => {
      try {
        await ctx.log.error(data);
      } catch (error) {
        told.push(error);
      }
      await ctx.session.sendLogMessage({ level: "error", data }).catch((error: unknown) => told.push(error));
      void ctx.session.sendLogMessage({ level: "error", data });
      await ctx.log.error({ fine: true });
      return "logged";
    });
    const heard: LoggingMessageNotificationParams[] = [];
    const client = await connect(server, { logLevel: "debug", onLog: (message) => void heard.push(message) });
    expect((await client.callTool("log")).text).toBe("logged");
    expect(told).toEqual([expect.any(TypeError), expect.any(TypeError)]);
    expect(String(told[0])).toContain("log message");
    expect(heard).toEqual([{ level: "error", data: { fine: true } }]);
  });

  it.each<[unknown, unknown]>([
    [undefined, null],
    ["", ""],
    [0, 0],
    [NaN, null],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [{ left: () => 1, kept: [undefined] }, { kept: [null] }],
  ])("%s is said as JSON says it [K6.1]", async (data, expected) => {
    const server = testServer();
    server.tool("log", {}, async (_input, ctx) => {
      await ctx.log.info(data, "part");
      return "";
    });
    const heard: LoggingMessageNotificationParams[] = [];
    const client = await connect(server, { logLevel: "debug", onLog: (message) => void heard.push(message) });
    await client.callTool("log");
    expect(heard).toEqual([{ level: "info", logger: "part", data: expected }]);
  });
});
