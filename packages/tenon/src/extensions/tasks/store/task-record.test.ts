import { describe, expect, test } from "vitest";
import {
  asCancelled,
  EMPTY_JOURNAL,
  hasEnded,
  hasExpired,
  withAnswer,
  withOutcome,
  withQuestions,
  type TaskQuestion,
  type TaskRecord,
} from "./task-record.ts";

/** The changes of a stored task: each is a new record, and the one before stays as it was. */
const RECORD: TaskRecord = {
  id: "t-1",
  owner: "ada",
  version: 1,
  status: "working",
  statusMessage: "half of it",
  createdAt: 1_000,
  updatedAt: 1_000,
  ttl: 500,
  pollInterval: 10,
  call: { method: "tools/call", params: { name: "t" }, version: "2026-07-28", client: {} as never },
  restart: false,
  run: 1,
  tries: 1,
  maxRuns: 1,
  journal: EMPTY_JOURNAL,
  questions: [],
};
const question = (name: string, mark = "m"): Omit<TaskQuestion, "key"> => ({
  name,
  mark,
  request: { method: "roots/list" } as never,
});

test("a task has ended if it is completed, failed or cancelled, and has expired from the end of its time on", () => {
  const ended = (["working", "input_required", "completed", "failed", "cancelled"] as const).map((status) =>
    hasEnded({ status }),
  );
  expect(ended).toEqual([false, false, true, true, true]);
  expect([1_499, 1_500, 1_501].map((now) => hasExpired(RECORD, now))).toEqual([false, true, true]);
});

describe("the end of a task", () => {
  const asked = withQuestions(RECORD, [question("a")]);

  test("with a result says nothing more of what it was doing, and has no questions", () => {
    const { statusMessage: _, ...rest } = asked;
    expect(withOutcome(asked, { result: { n: 1 } })).toEqual({
      ...rest,
      status: "completed",
      questions: [],
      outcome: { result: { n: 1 } },
    });
  });

  test("with an error says which", () => {
    const error = { code: -32603, message: "no" };
    expect(withOutcome(asked, { error })).toEqual({
      ...asked,
      status: "failed",
      statusMessage: "no",
      questions: [],
      outcome: { error },
    });
  });

  test("by its client says so", () => {
    expect(asCancelled(asked)).toEqual({ ...asked, status: "cancelled", statusMessage: "The task was cancelled", questions: [] });
  });
});

describe("the questions of a task", () => {
  test("have a key that was never used before in the task", () => {
    const first = withQuestions(RECORD, [question("a"), question("a"), question("b")]);
    expect(first.status).toBe("input_required");
    expect(first.questions.map(({ key }) => key)).toEqual(["a", "a-2", "b"]);
    const answered = withAnswer(first, "a", { result: {} });
    const again = withQuestions(answered, [question("a"), question("b", "other")]);
    expect(again.questions.map(({ key, mark }) => [key, mark])).toEqual([
      ["a-2", "m"],
      ["b", "m"],
      ["a-3", "m"],
      ["b-2", "other"],
    ]);
    expect(again.journal.keys).toEqual(["a", "a-2", "b", "a-3", "b-2"]);
    expect(RECORD.journal).toEqual({ answers: [], refusals: [], steps: [], keys: [] });
  });

  test("are answered or refused one by one; the task goes on after the last", () => {
    const both = withQuestions(RECORD, [question("a"), question("b", "n")]);
    const one = withAnswer(both, "b", { error: { code: -1, message: "no" } });
    expect([one.status, one.questions.map(({ key }) => key)]).toEqual(["input_required", ["a"]]);
    expect(one.journal).toMatchObject({ answers: [], refusals: [["b", "n", { code: -1, message: "no" }]] });
    const none = withAnswer(one, "a", { result: { action: "accept" } });
    expect([none.status, none.questions]).toEqual(["working", []]);
    expect(none.journal).toMatchObject({ answers: [["a", "m", { action: "accept" }]], refusals: one.journal.refusals });
  });

  test("that are not open take no answer: the record is the same", () => {
    const asked = withQuestions(RECORD, [question("a")]);
    expect(withAnswer(asked, "b", { result: {} })).toBe(asked);
  });
});
