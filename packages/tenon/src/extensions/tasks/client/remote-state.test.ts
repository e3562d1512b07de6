// What servers say of tasks is checked before it is believed, in both forms.
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { McpError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { codecFor } from "../../../wire/revisions.ts";
import { toRemoteState } from "./remote-state.ts";

const extension = codecFor("2026-07-28");
const core = codecFor("2025-11-25");
const times = { createdAt: "2026-01-01T00:00:00.000Z", lastUpdatedAt: "2026-01-01T00:00:01.000Z" };
const state = (rest: JsonObject): JsonObject => ({ taskId: "t", status: "working", ...times, ttlMs: 1_000, ...rest });

describe("the extension's form [requirement O4 requirement O7]", () => {
  test("says the times in its own words, and is read in those of the core", () => {
    const read = toRemoteState(extension, "t", state({ resultType: "task", pollIntervalMs: 5, statusMessage: "Busy", more: 1 }));
    expect(read).toEqual({
      task: { taskId: "t", status: "working", ...times, ttl: 1_000, pollInterval: 5, statusMessage: "Busy" },
    });
    expect(toRemoteState(extension, "t", state({ ttlMs: null })).task.ttl).toBeNull();
  });

  test("an inlined result may leave its kind out, or say it [requirement Z7]", () => {
    const result = { content: [{ type: "text", text: "done" }] };
    for (const kind of [{}, { resultType: "complete" }]) {
      const read = toRemoteState(extension, "t", state({ status: "completed", result: { ...result, ...kind } }));
      expect(read.outcome).toEqual({ result: { ...result, ...kind } });
    }
  });

  test("an error is an error like any other", () => {
    const error = { code: -32602, message: "No", data: { why: "not" } };
    const { outcome } = toRemoteState(extension, "t", state({ status: "failed", error }));
    expect(outcome).toEqual({ error: expect.any(McpError) });
    expect(outcome).toMatchObject({ error });
  });

  test.each([
    [{ taskId: "other" }, "is another task's"],
    [{ status: "paused" }, "has an unknown status"],
    [{ status: "constructor" }, "has an unknown status"],
    [{ createdAt: 5 }, "has no times"],
    [{ ttlMs: "1000" }, "has a time to live that is not a number"],
    [{ pollIntervalMs: "1" }, "has a poll interval that is not a number"],
    [{ status: "input_required" }, "asks nothing"],
    [{ status: "completed" }, "is completed without a result"],
    [{ status: "failed", error: { code: "no", message: "x" } }, "has failed without an error"],
  ])("refuses %j", (rest, problem) => {
    expect(() => toRemoteState(extension, "t", state(rest))).toThrow(`The state of task "t" ${problem}`);
  });

  test("refuses invalid questions and results", () => {
    const asks = (inputRequests: unknown): JsonObject => state({ status: "input_required", inputRequests });
    expect(() => toRemoteState(extension, "t", asks({ a: { method: "tools/call", params: {} } }))).toThrow(
      ProtocolViolationError,
    );
    expect(() => toRemoteState(extension, "t", state({ status: "completed", result: { content: 7 } }))).toThrow(
      ProtocolViolationError,
    );
  });
});

test("the core's form has its result elsewhere [N4]", () => {
  const { ttlMs: ttl, ...rest } = state({ status: "completed", pollInterval: 7 });
  expect(toRemoteState(core, "t", { ...rest, ttl })).toEqual({
    task: { taskId: "t", status: "completed", ...times, ttl, pollInterval: 7 },
  });
});

test("whatever a server says, it is read or refused in one way", () => {
  const member = fc.constantFrom("taskId", "status", "createdAt", "ttlMs", "result", "error", "inputRequests", "pollIntervalMs");
  fc.assert(
    fc.property(
      fc.dictionary(member, fc.jsonValue()),
      fc.constantFrom("working", "completed", "failed", "input_required"),
      (said, status) => {
        try {
          expect(toRemoteState(extension, "t", state({ status, ...said })).task.taskId).toBe("t");
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolViolationError);
        }
      },
    ),
  );
});
