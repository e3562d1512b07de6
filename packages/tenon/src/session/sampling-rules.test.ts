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
  it("are supported if sampling.tools is present, whatever is in it [SV-01]", () => {
    for (const capabilities of [undefined, {}, { sampling: {} }, { sampling: { context: {} } }])
      expect(supportsSamplingTools(capabilities)).toBe(false);
    expect(supportsSamplingTools({ sampling: { tools: {} } })).toBe(true);
  });

  it("need the capability, and so does a tool choice; an empty list is tools [SV-02 SS-84]", () => {
    const refusal = expect.objectContaining({
      code: -32602,
      message: "Client does not support sampling tools capability",
    }) as Error;
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
  ["results beside something else [SV-05]", MIXED, [model(use("a")), user(answer("a"), text("and"))]],
  ["results with nothing before them [SV-06]", ALONE, [user(answer("a"))]],
  ["results of what was not asked for [SV-07]", UNASKED, [model(text("hello")), user(answer("a"))]],
  ["results of something else [SV-08]", DIFFERENT, [model(use("a")), user(answer("b"))]],
  ["a result too few [SV-08]", DIFFERENT, [model(use("a"), use("b")), user(answer("a"))]],
  ["a result too many [SV-08]", DIFFERENT, [model(use("a")), user(answer("a"), answer("b"))]],
  ["no results where there should be [SV-09]", DIFFERENT, [model(use("a")), user(text("never mind"))]],
  ["an imbalance long ago [SV-04]", DIFFERENT, [model(use("a")), user(text("no")), model(text("x")), user(text("y"))]],
  ["a mixture long ago [SV-04]", MIXED, [model(use("a")), user(answer("a"), text("x")), model(text("y"))]],
];

const RIGHT: readonly [string, SamplingMessage[]][] = [
  ["nothing [SV-03]", []],
  ["words [SV-11]", [user(text("a")), model(text("b"))]],
  ["results in another order, and twice [SV-08]", [model(use("a"), use("b")), user(answer("b"), answer("a"), answer("a"))]],
  [
    "single blocks as well as lists [SV-10]",
    [
      { role: "assistant", content: use("a") },
      { role: "user", content: answer("a") },
    ],
  ],
  ["uses without results yet [SV-04]", [user(text("a")), model(use("a"))]],
  [
    "several rounds [SV-04]",
    [model(use("a")), user(answer("a")), model(use("b"), text("and")), user(answer("b")), model(text("done"))],
  ],
];

describe("A conversation with tools [XT-15]", () => {
  it.each(WRONG)("%s is refused", (_title, message, messages) => {
    expect(() => assertToolResultBalance(messages)).toThrow(new RangeError(message));
  });

  it.each(RIGHT)("%s is taken", (_title, messages) => {
    expect(() => assertToolResultBalance(messages)).not.toThrow();
  });

  it("holds for every balanced conversation, and for none that lacks a result [SV-04 SV-08]", () => {
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
