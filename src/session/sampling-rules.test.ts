/** The rules of sampling requests, as tables. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SamplingMessage, SamplingMessageContentBlock } from "../protocol/sampling.ts";
import { assertSamplingTools, assertToolResultBalance, supportsSamplingTools } from "./sampling-rules.ts";

const text = (content: string): SamplingMessageContentBlock => ({ type: "text", text: content });
const use = (id: string): SamplingMessageContentBlock => ({ type: "tool_use", id, name: "t", input: {} });
const answer = (toolUseId: string): SamplingMessageContentBlock => ({ type: "tool_result", toolUseId, content: [] });
const user = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: "user", content });
const model = (...content: SamplingMessageContentBlock[]): SamplingMessage => ({ role: "assistant", content });

describe("Tools for the client's model", () => {
  it("SV-01 are supported where sampling.tools is there, whatever is in it", () => {
    for (const capabilities of [undefined, {}, { sampling: {} }, { sampling: { context: {} } }])
      expect(supportsSamplingTools(capabilities)).toBe(false);
    expect(supportsSamplingTools({ sampling: { tools: {} } })).toBe(true);
  });

  it("SV-02 SS-84 need the capability, and so does a tool choice; an empty list is tools", () => {
    const refusal = expect.objectContaining({ code: -32602, message: "Client does not support sampling tools capability" }) as Error;
    assertSamplingTools(undefined, {});
    for (const asked of [{ tools: [] }, { toolChoice: {} }]) {
      expect(() => assertSamplingTools({ sampling: {} }, asked)).toThrow(refusal);
      expect(() => assertSamplingTools(undefined, asked)).toThrow(refusal);
      assertSamplingTools({ sampling: { tools: {} } }, asked);
    }
  });
});

const MIXED = "The last message must contain only tool_result content if any is present";
const ALONE = "tool_result requires a previous message containing tool_use";
const UNASKED = "tool_result blocks do not match any tool_use in the previous message";
const DIFFERENT = "ids of tool_result blocks and tool_use blocks from previous message do not match";

const WRONG: readonly [string, string, SamplingMessage[]][] = [
  ["SV-05 results beside something else", MIXED, [model(use("a")), user(answer("a"), text("and"))]],
  ["SV-06 results with nothing before them", ALONE, [user(answer("a"))]],
  ["SV-07 results of what was not asked for", UNASKED, [model(text("hello")), user(answer("a"))]],
  ["SV-08 results of something else", DIFFERENT, [model(use("a")), user(answer("b"))]],
  ["SV-08 a result too few", DIFFERENT, [model(use("a"), use("b")), user(answer("a"))]],
  ["SV-08 a result too many", DIFFERENT, [model(use("a")), user(answer("a"), answer("b"))]],
  ["SV-09 no results where there should be", DIFFERENT, [model(use("a")), user(text("never mind"))]],
  ["SV-04 an imbalance long ago", DIFFERENT, [model(use("a")), user(text("no")), model(text("x")), user(text("y"))]],
  ["SV-04 a mixture long ago", MIXED, [model(use("a")), user(answer("a"), text("x")), model(text("y"))]],
];

const RIGHT: readonly [string, SamplingMessage[]][] = [
  ["SV-03 nothing", []],
  ["SV-11 words", [user(text("a")), model(text("b"))]],
  ["SV-08 results in another order, and twice", [model(use("a"), use("b")), user(answer("b"), answer("a"), answer("a"))]],
  [
    "SV-10 single blocks as well as lists",
    [
      { role: "assistant", content: use("a") },
      { role: "user", content: answer("a") },
    ],
  ],
  ["SV-04 uses that nobody could answer yet", [user(text("a")), model(use("a"))]],
  ["SV-04 several rounds", [model(use("a")), user(answer("a")), model(use("b"), text("and")), user(answer("b")), model(text("done"))]],
];

describe("XT-15 A conversation with tools", () => {
  it.each(WRONG)("%s is refused", (_title, message, messages) => {
    expect(() => assertToolResultBalance(messages)).toThrow(new RangeError(message));
  });

  it.each(RIGHT)("%s is taken", (_title, messages) => {
    expect(() => assertToolResultBalance(messages)).not.toThrow();
  });

  it("SV-04 SV-08 holds for every conversation that is balanced, and for none that misses an answer", () => {
    const round = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1 }), fc.nat(), (rounds, pick) => {
        const balanced = rounds.flatMap((ids) => [model(...ids.map(use)), user(...ids.toReversed().map(answer))]);
        assertToolResultBalance(balanced);
        const broken = balanced.filter((_, index) => index !== (pick % rounds.length) * 2 + 1);
        if (broken.at(-1) !== balanced.at(-2)) expect(() => assertToolResultBalance(broken)).toThrow(RangeError);
      }),
    );
  });
});
