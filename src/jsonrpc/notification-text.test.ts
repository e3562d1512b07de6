import fc from "fast-check";
import { expect, test } from "vitest";
import { notificationText } from "./notification-text.ts";

const token = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.constantFrom('"progress":0', undefined, null, NaN, {}));
const count = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 1e21, 5e-324, undefined, "1", null));
const step = fc.record(
  { progressToken: token, progress: count, total: count, message: fc.string({ unit: "binary" }), _meta: fc.constant({ a: [1] }) },
  { requiredKeys: [] },
);

test("progress is written as JSON.stringify writes it, whatever it is and whatever came before", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      for (const params of [...steps, ...steps]) {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
        expect(notificationText("notifications/progress", params)).toBe(text);
      }
    }),
  );
});

test("G6 one request after the other, with totals that change, come and go", () => {
  const one = fc.record(
    { progressToken: fc.constantFrom(1, 2), progress: fc.nat(9), total: fc.constantFrom(3, 4) },
    { requiredKeys: ["progressToken", "progress"] },
  );
  fc.assert(
    fc.property(fc.array(one, { minLength: 2 }), (steps) => {
      for (const params of steps) {
        const text = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params });
        expect(notificationText("notifications/progress", params)).toBe(text);
      }
    }),
  );
});

test("params that write themselves do", () => {
  const params = Object.assign(Object.create({ toJSON: () => ({ own: true }) }), { progressToken: 1, progress: 1 });
  expect(notificationText("notifications/progress", params)).toBe(
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"own":true}}',
  );
});
