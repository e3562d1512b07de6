/** Which questions the operator is warned of, on the revisions that deprecate them. */
import { expect, it, vi } from "vitest";
import type { Codec } from "../../wire/codec.ts";
import { warnIfQuestionDeprecated } from "./question.ts";

it("sampling and roots are deprecated, each told once; forms are not", () => {
  const codes: unknown[] = [];
  vi.spyOn(process, "emitWarning").mockImplementation(((_text: string, _type: string, code: string) => codes.push(code)) as never);
  const newest = { stateless: true, version: "2026-07-28" } as Codec; // nothing else is looked at
  const older = { stateless: false, version: "2025-11-25" } as Codec;
  for (const codec of [older, newest, newest]) {
    for (const method of ["elicitation/create", "sampling/createMessage", "roots/list"] as const)
      warnIfQuestionDeprecated({ method, params: {} } as Parameters<typeof warnIfQuestionDeprecated>[0], codec);
  }
  expect(codes).toEqual(["TENON_SAMPLING", "TENON_ROOTS"]);
});
