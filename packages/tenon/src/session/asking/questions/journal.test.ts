/** What of a call travels in its state: everything that happened, and no member for what did not. */
import { expect, it } from "vitest";
import { Journal, newJournal } from "./journal.ts";

it("of a call in which nothing happened is its id and its counts", () => {
  const record = newJournal().toRecord([]);
  expect(record).toStrictEqual({ r: 1, c: expect.any(String), n: 0 });
});

it("has what happened, and a later round finds it there", () => {
  const journal = new Journal({ r: 1, c: "call", n: 2, d: 9, q: [["seat", "mark", "elicitation/create"]] });
  journal.receive({ seat: { action: "accept" }, other: { action: "decline" } }, () => true);
  journal.keepStep("hold", '{"id":7}');
  journal.keepStep("pay", undefined);
  const record = journal.toRecord([["sure", "m2", "elicitation/create"]], "own");
  expect(record).toStrictEqual({
    r: 2,
    c: "call",
    n: 2,
    d: 9,
    a: [["seat", "mark", { action: "accept" }]],
    s: [["hold", { id: 7 }], ["pay"]],
    q: [["sure", "m2", "elicitation/create"]],
    u: "own",
  });
  const next = new Journal(record);
  expect([next.answerTo("seat", "mark"), next.answerTo("seat", "another mark")]).toEqual([{ action: "accept" }, undefined]);
  expect([next.hasStep("pay"), next.stepValue("pay"), next.stepValue("hold"), next.hasStep("never")]).toEqual([
    true,
    undefined,
    { id: 7 },
    false,
  ]);
});

it("asks again if the answer is of the wrong kind, and forgets the deadline with a claim", () => {
  const journal = new Journal({ r: 1, c: "call", n: 0, d: 9, q: [["seat", "mark", "elicitation/create"]] });
  journal.receive({ seat: { roots: [] } }, () => false);
  journal.countClaim();
  expect(journal.toRecord([])).toStrictEqual({ r: 2, c: "call", n: 1 });
});
