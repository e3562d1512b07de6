import { expect, test } from "vitest";
import { codecFor } from "../../../wire/revisions.ts";
import { toCreated, toDetailed } from "./extension-form.ts";
import { EMPTY_JOURNAL, withAnswer, withQuestions, asCancelled, withOutcome, type TaskRecord } from "../store/task-record.ts";

const codec = codecFor("2026-07-28");
const working: TaskRecord = {
  id: "t",
  owner: "me",
  version: 1,
  status: "working",
  createdAt: 0,
  updatedAt: 1_000,
  ttl: 60_000,
  pollInterval: 500,
  call: { method: "tools/call", params: {}, version: "2026-07-28", client: { capabilities: {} } },
  restart: false,
  run: 1,
  tries: 1,
  maxRuns: 1,
  journal: EMPTY_JOURNAL,
  questions: [],
};
const state = {
  taskId: "t",
  createdAt: "1970-01-01T00:00:00.000Z",
  lastUpdatedAt: "1970-01-01T00:00:01.000Z",
  ttlMs: 60_000,
  pollIntervalMs: 500,
};
const question = (name: string): Parameters<typeof withQuestions>[1][number] => ({
  name,
  mark: name,
  request: { method: "roots/list" },
});

test("the result of a call is flat, and holds nothing but the state [requirement O4]", () => {
  expect(toCreated({ ...working, statusMessage: "Busy" })).toEqual({
    ...state,
    resultType: "task",
    status: "working",
    statusMessage: "Busy",
  });
});

test("each status has what belongs to it, and nothing else [requirement O7]", () => {
  expect(toDetailed(working, codec)).toEqual({ ...state, status: "working" });
  expect(toDetailed(withQuestions(working, [question("a")]), codec)).toEqual({
    ...state,
    status: "input_required",
    inputRequests: { a: { method: "roots/list", params: {} } },
  });
  expect(toDetailed(withOutcome(working, { result: { content: [] } }), codec)).toEqual({
    ...state,
    status: "completed",
    result: { resultType: "complete", content: [] },
  });
  const failed = withOutcome(working, { error: { code: -32000, message: "No" } });
  // A code this revision does not have is said in one it has.
  expect(toDetailed(failed, codec)).toEqual({
    ...state,
    status: "failed",
    statusMessage: "No",
    error: { code: -32603, message: "No" },
  });
  expect(toDetailed(asCancelled(working), codec)).toEqual({
    ...state,
    status: "cancelled",
    statusMessage: "The task was cancelled",
  });
});

test("no key is used twice, whatever the handler calls its questions [requirement O8]", () => {
  const once = withAnswer(withQuestions(working, [question("a")]), "a", { result: { roots: [] } });
  const again = withQuestions(once, [question("a"), question("a-2"), question("a")]);
  expect(again.questions.map(({ key }) => key)).toEqual(["a-2", "a-2-2", "a-3"]);
  expect(again.journal.keys).toEqual(["a", "a-2", "a-2-2", "a-3"]);
});

test("a task works again once its last question is answered; answers to unknown ones change nothing [N5 requirement O8]", () => {
  const both = withQuestions(working, [question("a"), question("b")]);
  expect(withAnswer(both, "c", { result: {} })).toBe(both);
  const first = withAnswer(both, "a", { result: { roots: [] } });
  expect(first.status).toBe("input_required");
  expect(withAnswer(first, "a", { result: {} })).toBe(first);
  const second = withAnswer(first, "b", { error: { code: -1, message: "No" } });
  expect(second).toMatchObject({
    status: "working",
    questions: [],
    journal: { answers: [["a", "a", { roots: [] }]], refusals: [["b", "b", { code: -1 }]] },
  });
});
