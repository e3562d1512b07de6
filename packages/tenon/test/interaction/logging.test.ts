/** Where the log of a server goes: by level, to callbacks, as any JSON value. */
import { expect, it } from "vitest";
import type { LoggingMessageNotificationParams } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { createServer } from "./logging-server.ts";

describeMatrix("Logging", ({ connect: connectTo, stateless }) => {
  const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

  it.each(levels)("from %s on [K6.1 K6.2 K6.3 TY-32]", async (logLevel) => {
    const messages: LoggingMessageNotificationParams[] = [];
    const client = await connectTo(createServer(), { logLevel, onLog: (message) => void messages.push(message) });
    await client.callTool("log");
    expect(messages.map(({ level }) => level)).toEqual(levels.slice(levels.indexOf(logLevel)));
  });

  it("a server without it says nothing, and has no method for it [K6.1 K6.2]", async () => {
    const messages: unknown[] = [];
    const client = await connectTo(createServer({ logging: false }), {
      logLevel: "debug",
      onMessage: (message) => void messages.push(message),
    });
    await client.callTool("log");
    expect(messages).toEqual([]);
    if (!stateless) expect(await failureOf(client.setLoggingLevel("debug"))).toMatchObject({ code: -32601 });
  });

  it("an unknown level is -32602 [K6.1 K6.2]", async () => {
    const client = await connectTo(createServer());
    const loud = stateless
      ? client.listTools({ _meta: { "io.modelcontextprotocol/logLevel": "loud" } })
      : client.request("logging/setLevel", { level: "loud" as never });
    expect(await failureOf(loud)).toMatchObject({ code: -32602 });
  });

  it("any JSON value is data, nothing is null, absent loggers are absent [SS-66 XT-22 CV-03 TY-33]", async () => {
    const messages: unknown[] = [];
    const server = createServer();
    const values = [null, 0, "", false, [], { x: null }];
    server.tool("values", {}, async (_input, { log }) => {
      for (const value of values) await log.error(value);
      await log.error(undefined);
      await log.send("alert", 1, "own");
      return "";
    });
    const client = await connectTo(server, { logLevel: "debug", onLog: (message) => void messages.push(message) });
    await client.callTool("values");
    expect(messages).toEqual([
      ...[...values, null].map((data) => ({ level: "error", data })),
      { level: "alert", logger: "own", data: 1 },
    ]);
  });

  it("each callback gets every message, even if another one fails [CS-92 CS-93 CS-94 CS-90]", async () => {
    const heard: string[] = [];
    const errors: string[] = [];
    const server = createServer();
    server.tool("once", {}, async (_input, { log }) => {
      await log.error("x");
      return "";
    });
    const client = await connectTo(server, {
      logLevel: "error",
      onError: (error) => {
        errors.push(error.message);
        throw new Error("onError itself");
      },
      onLog: ({ level }) => {
        heard.push(`log ${level}`);
        throw new Error("onLog");
      },
      onMessage: ({ method }) => {
        heard.push(method);
        return Promise.reject(new Error("onMessage"));
      },
    });
    expect((await client.callTool("once", {}, { validateOutput: false })).isError).toBe(false);
    expect(heard).toEqual(["log error", "notifications/message"]);
    expect(errors).toEqual(["onLog", "onMessage"]);
  });
});
