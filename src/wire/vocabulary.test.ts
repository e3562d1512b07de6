import { beforeEach, describe, expect, test, vi } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { methodsOf } from "../protocol/methods.ts";
import { SUPPORTED_PROTOCOL_VERSIONS } from "../protocol/versions.ts";
import { encodeResult } from "./answering.ts";
import { decodeResult } from "./calling.ts";
import type { Codec } from "./codec.ts";
import { core } from "./core.ts";
import { entryOf, type Revision } from "./revision.ts";
import { whole } from "./whole.ts";

/** What every session needs: nothing of it may ever wait. */
const AT_ONCE = ["initialize", "server/discover", "ping", "tools/list", "tools/call", "logging/setLevel"];
const ANSWERS: JsonObject = { name: "a", inputResponses: { q: { action: "decline" } } };
const QUESTIONS: JsonObject = {
  resultType: "input_required",
  inputRequests: { q: { method: "elicitation/create", params: { mode: "url", message: "m", url: "a:b", elicitationId: "1" } } },
};

describe.each([...SUPPORTED_PROTOCOL_VERSIONS])("the shapes of %s that are there from the start", (version) => {
  const [first, all] = [core.revisions[version], whole.revisions[version]];

  test.each(["types", "params", "results"] as const)("say what all shapes say (%s)", (kind) => {
    const names = SUPPORTED_PROTOCOL_VERSIONS.flatMap((one) => Object.keys(core.revisions[one][kind]));
    const entries = (from: Revision): unknown[] => names.map((name) => [name, name === "InputResponse" || entryOf(from, kind, name)]);
    // Params with answers wait: their shape is never used before.
    expect(entries(first)).toEqual(entries(all));
  });

  test("are those of all that is told, and of every message that must not wait", () => {
    for (const [method, { kind }] of methodsOf(version)) {
      const atOnce = kind === "notification" || AT_ONCE.includes(method);
      expect(entryOf(first, "params", method) !== undefined, method).toBe(atOnce);
      expect(entryOf(all, "params", method), method).toBeDefined();
      if (kind !== "notification") expect(entryOf(first, "results", method) !== undefined, method).toBe(atOnce);
      if (kind !== "notification") expect(entryOf(all, "results", method), method).toBeDefined();
    }
  });
});

describe("a codec", () => {
  let codecFor: (version: string) => Codec | undefined;
  let complete: () => Promise<void>;

  const of = (version: string): Codec => codecFor(version)!; // the versions below are spoken

  beforeEach(async () => {
    vi.resetModules();
    ({ codecFor } = await import("./codec-for.ts"));
    complete = async () => (await import("./codecs.ts")).completeCodecs();
  });

  test("has nothing to load for what every session needs, for what it does not know, and for methods of others", () => {
    for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
      const codec = of(version);
      for (const method of [...AT_ONCE, "notifications/progress", "x/y", "constructor", "__proto__"]) {
        expect(codec.prepare(method, { name: "a", _meta: {} }), `${version} ${method}`).toBeUndefined();
      }
    }
    expect(of("2026-07-28").prepare("tasks/get")).toBeUndefined();
    expect(of("2024-11-05").prepare("elicitation/create")).toBeUndefined();
  });

  test("S4 lets nothing pass unchecked whose shape is not there", () => {
    const codec = of("2026-07-28");
    const late = "await codec.prepare(…) first";
    expect(() => codec.decodeParams("prompts/get", { name: 1 })).toThrow(late);
    expect(() => encodeResult(codec, "prompts/get", {})).toThrow(late);
    expect(() => decodeResult(codec, "prompts/get", {})).toThrow(late);
    expect(() => codec.encodeParams("prompts/get", {})).toThrow(late);
    expect(() => encodeResult(codec, "tools/call", QUESTIONS)).toThrow(late);
    expect(() => decodeResult(codec, "tools/call", QUESTIONS)).toThrow(late);
    expect(() => codec.decodeParams("tools/call", ANSWERS)).toThrow("Invalid request parameters");
  });

  test.each([
    ["prompts/get", { name: 1 }],
    ["tools/call", { ...ANSWERS, inputResponses: { q: { action: "maybe" } } }],
  ])("S4 checks %s with %j once it is loaded, and from then on at once", async (method, params) => {
    const codec = of("2026-07-28");
    expect(codec.decodeParams("tools/call", { name: "a" })).toEqual({ name: "a" });
    // Two may wait for it at once.
    await Promise.all([codec.prepare(method, params), of("2025-06-18").prepare("prompts/get")]);
    expect(codec.prepare(method, params)).toBeUndefined();
    expect(of("2024-11-05").prepare("resources/read")).toBeUndefined();
    expect(() => codec.decodeParams(method, params)).toThrow("Invalid request parameters");
    expect(codec.decodeParams("tools/call", ANSWERS)).toBe(ANSWERS);
  });

  test("A2.5 H3 writes the questions of a result bare once they can be written", async () => {
    const codec = of("2026-07-28");
    expect(encodeResult(codec, "tools/call", { content: [] })).toEqual({ resultType: "complete", content: [] });
    expect(codec.prepareResult({ resultType: "complete" })).toBeUndefined();
    await codec.prepareResult(QUESTIONS);
    expect(codec.prepareResult(QUESTIONS)).toBeUndefined();
    const { inputRequests } = encodeResult(codec, "tools/call", QUESTIONS);
    expect(inputRequests).toEqual({ q: { method: "elicitation/create", params: { mode: "url", message: "m", url: "a:b" } } });
  });

  test("that is in use has all shapes as soon as somebody who does not wait wants them", async () => {
    const codec = of("2025-11-25");
    expect(codec.prepare("prompts/list")).toBeInstanceOf(Promise);
    await complete();
    expect(codec.prepare("prompts/list")).toBeUndefined();
    expect(decodeResult(codec, "prompts/list", { prompts: [] })).toEqual({ prompts: [] });
  });
});
