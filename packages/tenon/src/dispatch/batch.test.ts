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
        /** In the order in which they settle: what is there at once, and then the others. */
        const expected: number[] = [];
        const later: number[] = [];
        members.forEach(({ early, cancelled, malformed }, id) => {
          if (malformed) batch.add(answer(id));
          else batch.expect();
          if (malformed || (early && !cancelled)) expected.push(id);
          else if (!cancelled) later.push(id);
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
        const all = [...expected, ...later];
        expect(written).toEqual(all.length === 0 ? [] : [all.map(answer)]);
      }),
    );
  });
});
