import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { MemoryStateStore } from "./memory-state-store.ts";

test("expired entries are not kept until their room is needed [rule R5]", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const megabytes = (): number => (collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20);
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const store = new MemoryStateStore();
    const before = megabytes();
    for (let n = 0; n < 20; n++) store.put(`old ${n}`, Buffer.alloc(2 ** 19, n).toString("latin1"), 600_000);
    expect(megabytes() - before).toBeGreaterThan(9);
    vi.setSystemTime(599_999);
    store.put("new", "value", 600_000);
    expect(store.get("old 0")).toHaveLength(2 ** 19);
    vi.setSystemTime(600_000);
    store.put("newer", "value", 600_000);
    expect(megabytes() - before).toBeLessThan(2);
    expect([store.get("old 19"), store.get("new"), store.get("newer")]).toEqual([undefined, "value", "value"]);
  } finally {
    vi.useRealTimers();
  }
});
