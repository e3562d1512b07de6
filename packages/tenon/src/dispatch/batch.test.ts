import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { Batch } from "./batch.ts";

const answer = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: {} });

describe("Batch", () => {
  it("writes every response once, together, after the last member has settled, and never before it is sealed [A1.9 Z19]", () => {
    const member = fc.record({ early: fc.boolean(), cancelled: fc.boolean(), malformed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 12 }), (members) => {
        const written: (readonly JSONRPCMessage[])[] = [];
        const batch = new Batch((answers) => written.push(answers));
        const late: (() => void)[] = [];
        const expected: number[] = [];
        members.forEach(({ early, cancelled, malformed }, id) => {
          if (malformed) batch.add(answer(id));
          else batch.expect();
          if (malformed || !cancelled) expected.push(id);
          const settle = (): void => batch.settle(cancelled ? undefined : answer(id));
          if (malformed) return;
          if (early) settle();
          else late.push(settle);
        });
        expect(written).toEqual([]);
        batch.seal();
        for (const settle of late) {
          expect(written).toEqual([]);
          settle();
        }
        if (expected.length === 0) expect(written).toEqual([]);
        else expect(written.map((answers) => new Set(answers))).toEqual([new Set(expected.map(answer))]);
      }),
    );
  });
});
