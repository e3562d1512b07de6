/** What a question needs of the client, which marks it has, and which ones the operator is warned of. */
import { expect, it, vi } from "vitest";
import { MissingClientCapabilityError } from "../../../protocol/errors.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { Codec } from "../../../wire/codec.ts";
import { assertAskable, capabilitiesFor, markOf, warnIfQuestionDeprecated } from "./question.ts";

it("sampling and roots are deprecated, each told once; forms are not", () => {
  const codes: unknown[] = [];
  vi.spyOn(process, "emitWarning").mockImplementation(((_text: string, _type: string, code: string) =>
    codes.push(code)) as never);
  const newest = { stateless: true, version: "2026-07-28" } as Codec; // nothing else is looked at
  const older = { stateless: false, version: "2025-11-25" } as Codec;
  warnIfQuestionDeprecated(
    { method: "elicitation/create", params: {} } as Parameters<typeof warnIfQuestionDeprecated>[0],
    newest,
  );
  expect(codes).toEqual([]);
  for (const codec of [older, newest, newest]) {
    for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"] as const)
      warnIfQuestionDeprecated({ method, params: {} } as Parameters<typeof warnIfQuestionDeprecated>[0], codec);
  }
  expect(codes).toEqual(["TENON_SAMPLING", "TENON_ROOTS"]);
});

const sampling = (params: object): InputRequest => ({ method: "sampling/createMessage", params }) as InputRequest;
const elicitation = (params: object): InputRequest => ({ method: "elicitation/create", params }) as InputRequest;

it.each<[string, InputRequest, object, object?]>([
  ["roots", { method: "roots/list" } as InputRequest, { roots: {} }],
  ["a page", elicitation({ mode: "url" }), { elicitation: { url: {} } }],
  ["a form", elicitation({ mode: "form" }), { elicitation: { form: {} } }],
  ["a form without a mode", elicitation({}), { elicitation: { form: {} } }],
  ["sampling", sampling({}), { sampling: {} }],
  ["sampling with tools", sampling({ tools: [] }), { sampling: { tools: {} } }],
  ["sampling with a tool choice", sampling({ toolChoice: {} }), { sampling: { tools: {} } }],
  ["sampling without a context", sampling({ includeContext: "none" }), { sampling: {} }],
  ["sampling with a context", sampling({ includeContext: "thisServer" }), { sampling: { context: {} } }, { sampling: {} }],
])("the capabilities that %s needs [A6.1 L2.1]", (_what, question, strictly, otherwise = strictly) => {
  expect(capabilitiesFor(question, true)).toEqual(strictly);
  expect(capabilitiesFor(question, false)).toEqual(otherwise);
});

it("a client that did not declare what a question needs is not asked: the error names it [A6.1]", () => {
  const codec = { stateless: false, version: "2025-11-25" } as Codec;
  const question = elicitation({ mode: "url" });
  const ask = (capabilities: object) => (): void => assertAskable(question, { client: { capabilities } as never, codec });
  expect(ask({ elicitation: { url: {} } })).not.toThrow();
  expect(ask({ elicitation: { form: {} } })).toThrow(MissingClientCapabilityError);
  expect(ask({ elicitation: { form: {} } })).toThrow(
    expect.objectContaining({ data: { requiredCapabilities: { elicitation: { url: {} } } } }) as Error,
  );
});

it("equal questions have the same mark, whatever the order of their members; others have another one", async () => {
  expect(await markOf(["b", { x: 1, y: 2 }])).toBe(await markOf(["b", { y: 2, x: 1 }]));
  const text = (length: number): string => "x".repeat(length - '[""]'.length);
  expect(markOf([text(256)])).toBe(JSON.stringify([text(256)]));
  const long = await markOf([text(257)]);
  expect(long).toMatch(/^[\w-]{43}$/);
  expect(await markOf([text(257)])).toBe(long);
  expect(await markOf([text(258)])).not.toBe(long);
});
