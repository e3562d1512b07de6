/** The checker of the cluster's histories: it accepts what is right, and each of its rules finds what breaks it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, longestWaits, type Rule } from "./checker.ts";
import { COUNT, expectedOf, unheardOf, type Effect, type Fault, type History, type Operation } from "./history.ts";

const kinds = ["call", "count", "ask", "session"] as const;
const families = ["stateful", "stateless"] as const;
const ALL = Array.from({ length: COUNT }, (_, index) => index + 1);

const timed = fc.record({
  kind: fc.constantFrom(...kinds),
  family: fc.constantFrom(...families),
  began: fc.nat(60_000),
  ms: fc.nat(5_000),
});

/** Operations that all succeeded, with their effects, and no fault. */
const calm = fc.array(timed, { minLength: 1, maxLength: 20 }).map((all): History => {
  const operations = all.map(({ kind, family, began, ms }, index): Operation => {
    const id = `o${index}`;
    const ok = { id, kind, family, began, ended: began + ms, outcome: "ok", value: expectedOf({ id, kind }) } as const;
    return kind === "count" ? { ...ok, numbers: ALL } : ok;
  });
  const effects = operations.filter(({ kind }) => kind === "call" || kind === "ask").map(effectOf);
  return { operations, effects, faults: [] };
});

function effectOf({ id, began }: Operation): Effect {
  return { operation: id, node: "a", at: began };
}

test("a history in which everything succeeds breaks no rule", () => {
  fc.assert(
    fc.property(calm, (history) => {
      expect(check(history)).toEqual([]);
    }),
  );
});

test("calls that met a fault may fail, and then have at most one effect", () => {
  fc.assert(
    fc.property(calm, fc.constantFrom<Fault["what"]>("kill", "stop", "engine", "link", "balancer"), (history, what) => {
      // It began before every call, so that the limit for calls that were open at a kill is not that of any.
      const faults: Fault[] = [{ what, target: "a", began: -1, ended: 65_000 }];
      const operations = history.operations.map(({ value: _result, ...operation }): Operation => ({
        ...operation,
        outcome: "failed",
      }));
      expect(check({ operations, effects: history.effects, faults })).toEqual([]);
    }),
  );
});

const call: Operation = { id: "x", kind: "call", family: "stateful", began: 0, ended: 10, outcome: "ok", value: "called x" };
const { outcome: _outcome, value: _value, ended: _ended, ...open } = call;
const failed: Operation = { ...open, ended: 10, outcome: "failed", error: "away" };
const count: Operation = { ...call, kind: "count", value: "counted x", numbers: ALL };
const once = [effectOf(call)];
const kill: Fault = { what: "kill", target: "node a", began: 5, ended: 6 };

/** Its client has waited for the limit, and its node was killed when the response had just arrived. */
const unheard: Operation = { ...call, kind: "change", value: unheardOf("x"), began: 0, answered: 4, ended: 9_000 };

test("no client hears of a change that its node took along when it was killed", () => {
  const history = { operations: [unheard], effects: once, faults: [kill] };
  expect(check(history)).toEqual([]);
  expect(longestWaits(history).get("kill")).toBe(0);
});

/** Each breaks one rule. */
const broken: [string, Rule, Operation, Effect[], Fault[]][] = [
  ["an outcome that never comes", "settled", open, [], [kill]],
  ["an outcome that comes late", "settled", { ...call, ended: 10_011 }, once, []],
  ["an outcome that comes late after a fault", "settled", { ...call, ended: 15_017 }, once, [{ ...kill, what: "engine" }]],
  ["an outcome that comes late after a kill", "settled", { ...call, ended: 4_006 }, once, [kill]],
  ["a failure without a fault", "cause", failed, [], []],
  ["a failure before the fault", "cause", { ...failed, ended: 4 }, [], [kill]],
  ["the result of another call", "result", { ...call, value: "called y" }, once, []],
  ["the answer to another question", "result", { ...call, kind: "ask", value: "asked x: nonce of y" }, once, []],
  ["a change that is not heard of", "result", unheard, once, []],
  [
    "a change that is not heard of because another node was killed",
    "result",
    { ...unheard, ended: 10 },
    once,
    [{ ...kill, target: "node b" }],
  ],
  [
    "a change that is not heard of although its node had time",
    "result",
    unheard,
    once,
    [{ ...kill, began: 8_000, ended: 8_001 }],
  ],
  ["a success without an effect", "effects", call, [], []],
  ["two effects of one call", "effects", call, [...once, ...once], [kill]],
  [
    "two effects of a step without a fault",
    "effects",
    { ...call, kind: "ask", value: expectedOf({ id: "x", kind: "ask" }) },
    [...once, ...once],
    [],
  ],
  ["an effect of what was not sent", "effects", { ...failed, delivery: "not-sent" }, once, [kill]],
  ["a gap in a stream", "order", { ...count, numbers: ALL.filter((number) => number !== 3) }, [], []],
  ["a repetition in a stream", "order", { ...count, numbers: [1, 1, ...ALL.slice(1)] }, [], []],
  ["a stream out of order", "order", { ...count, numbers: [2, 1, ...ALL.slice(2)] }, [], []],
  ["a result before the last events", "order", { ...count, numbers: ALL.slice(0, -1) }, [], []],
  ["a session that a node does not know", "session", { ...failed, status: 404 }, [], [kill]],
];

describe("finds", () => {
  test.each(broken)("%s", (_name, rule, operation, effects, faults) => {
    const found = check({ operations: [operation], effects, faults });
    expect(found.map((violation) => violation.rule)).toEqual([rule]);
  });

  test("one broken operation among many that are right", () => {
    fc.assert(
      fc.property(calm, fc.constantFrom(...broken), (history, [, rule, operation, effects, faults]) => {
        const last = Math.max(...history.operations.map(({ ended }) => ended!));
        const shift = last + 100_000;
        const moved = {
          ...operation,
          began: operation.began + shift,
          ...(operation.ended !== undefined && { ended: operation.ended + shift }),
        };
        const later = faults.map((fault) => ({ ...fault, began: fault.began + shift, ended: fault.ended + shift }));
        const found = check({
          operations: [...history.operations, moved],
          effects: [...history.effects, ...effects],
          faults: later,
        });
        expect(found.map((violation) => [violation.rule, violation.operation])).toEqual([[rule, "x"]]);
      }),
    );
  });
});
