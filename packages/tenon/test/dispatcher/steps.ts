/** What can happen in a simulated run, and how fast-check makes such runs up. */
import fc from "fast-check";
import type { RequestId } from "../../src/jsonrpc/message.ts";

/** 0 and 1: the two ends. */
export type Side = 0 | 1;

/** What a handler does with its request. `wait` ends when a `finish` step picks it, `hang` never. */
export type Plan =
  | "now"
  | "raw"
  | "refuse"
  | "crash"
  | "unserialisable"
  | "wait"
  | "hang"
  | "obey"
  | "nest"
  | "abortCaller"
  | "close";

/** How a call listens to progress, if it does. */
export type Listening = "none" | "sync" | "slow" | "throws" | "rejects";

export interface CallStep {
  readonly do: "call";
  readonly side: Side;
  readonly plan: Plan;
  /** The plan of the request that a nested handler makes. */
  readonly then: Plan;
  readonly timeout: number | undefined;
  readonly listening: Listening;
  /** Wanted id; not used where that would be ambiguous on the wire. */
  readonly id: RequestId | undefined;
  /** Whether the handler asks for its signal at once. */
  readonly touch: boolean;
  /** Aborted before the call is made. */
  readonly aborted: boolean;
}

/** What a faulty or hostile peer sends. */
export type Fault =
  | "request"
  | "cancelRequest"
  | "repeatedAnswer"
  | "unknownAnswer"
  | "laxAnswer"
  | "brokenAnswer"
  | "unknownCancel"
  | "unknownProgress"
  | "garbage"
  | "invalid"
  | "batch";

export type Step =
  | CallStep
  | { readonly do: "finish"; readonly pick: number; readonly how: "result" | "refuse" | "crash" }
  | { readonly do: "progress"; readonly pick: number }
  | { readonly do: "abort"; readonly pick: number }
  | { readonly do: "notify"; readonly side: Side }
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "turn" }
  | { readonly do: "fault"; readonly side: Side; readonly fault: Fault; readonly pick: number }
  | { readonly do: "close"; readonly side: Side }
  | { readonly do: "end"; readonly side: Side };

export interface Run {
  readonly steps: readonly Step[];
  /** Whether writing takes a moment. */
  readonly slowWrites: boolean;
}

/** Ids that callers ask for. None of them is what a lax conversion makes of a minted one. */
export const GIVEN_IDS: readonly RequestId[] = [0, -1, 7001, "7001", "a", "0x1b58", " 7000"];

const side = fc.constantFrom<Side>(0, 1);
const pick = fc.nat(9);
const plan = fc.constantFrom<Plan>(
  "now",
  "raw",
  "refuse",
  "crash",
  "unserialisable",
  "wait",
  "wait",
  "wait",
  "hang",
  "obey",
  "nest",
  "nest",
  "abortCaller",
);

const call: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("call" as const),
  side,
  plan: fc.oneof({ weight: 40, arbitrary: plan }, { weight: 1, arbitrary: fc.constant<Plan>("close") }),
  then: plan,
  timeout: fc.constantFrom(undefined, undefined, 0, 10, 100, Infinity),
  listening: fc.constantFrom<Listening>("none", "none", "sync", "slow", "throws", "rejects"),
  id: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...GIVEN_IDS) }),
  touch: fc.boolean(),
  aborted: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
});

const fault: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("fault" as const),
  side,
  pick,
  fault: fc.constantFrom<Fault>(
    "request",
    "request",
    "request",
    "cancelRequest",
    "repeatedAnswer",
    "unknownAnswer",
    "laxAnswer",
    "laxAnswer",
    "brokenAnswer",
    "unknownCancel",
    "unknownProgress",
    "garbage",
    "invalid",
    "batch",
  ),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: call },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      pick,
      how: fc.constantFrom("result" as const, "result" as const, "refuse" as const, "crash" as const),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("progress" as const), pick }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("abort" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("notify" as const), side }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: fc.constantFrom(0, 1, 10, 99, 100, 500, 2000) }) },
  { weight: 14, arbitrary: fc.constant({ do: "turn" } as const) },
  { weight: 16, arbitrary: fault },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("close" as const, "end" as const), side }) },
);

export const run: fc.Arbitrary<Run> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 30, size: "max" }),
  slowWrites: fc.boolean(),
});
