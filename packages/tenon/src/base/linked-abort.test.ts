import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { LinkedAbort } from "./abort.ts";

it("aborts with whichever is first, by its reason, and then no other holds it", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const linked = new LinkedAbort(a.signal, undefined, b.signal);
  const reason = new Error("b");
  b.abort(reason);
  a.abort(new Error("a"));
  expect(linked.signal.reason).toBe(reason);
  const own = new LinkedAbort(new AbortController().signal);
  own.abort("own");
  expect(own.signal.reason).toBe("own");
  expect(new LinkedAbort(new AbortController().signal, b.signal).signal.reason).toBe(reason);
});

it("once unlinked it is its own, and the other signals have no listener left", () => {
  const other = new AbortController();
  const linked = new LinkedAbort(other.signal, other.signal);
  linked.unlink();
  expect(getEventListeners(other.signal, "abort")).toEqual([]);
  other.abort();
  expect(linked.signal.aborted).toBe(false);
});

it("a signal that lives on keeps no reference to it, aborted or unlinked, listeners or not [fault Z3 rule R5]", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const { signal } = new AbortController();
  const made: WeakRef<AbortSignal>[] = [];
  for (let n = 0; n < 100; n++) {
    const linked = new LinkedAbort(signal, new AbortController().signal);
    linked.signal.addEventListener("abort", () => made.push());
    made.push(new WeakRef(linked.signal));
    if (n % 2 === 0) linked.abort();
    else linked.unlink();
  }
  await new Promise(setImmediate);
  collectGarbage();
  expect(made.filter((each) => each.deref() !== undefined).length).toBeLessThan(3);
});
