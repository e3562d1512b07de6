import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { addAbortListener, onAbort, removeAbortListener } from "./abort.ts";

it("any number of listeners are one of the signal, and none when the last has left [fault Z3]", () => {
  const { signal } = new AbortController();
  const stops = Array.from({ length: 1_000 }, () => onAbort(signal, () => expect.unreachable()));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const stop of stops) stop();
  for (const stop of stops) stop();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  onAbort(signal, () => undefined);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});

it("each listener is called once, in order; one that was removed before its turn is not", () => {
  const abort = new AbortController();
  const told: string[] = [];
  const last = { handleEvent: () => void told.push("last") };
  onAbort(abort.signal, () => void told.push("first"));
  onAbort(abort.signal, () => {
    told.push("second");
    removeAbortListener(abort.signal, last);
  });
  addAbortListener(abort.signal, last);
  addAbortListener(abort.signal, last);
  abort.abort();
  abort.abort();
  onAbort(abort.signal, () => void told.push("too late"));
  expect(told).toEqual(["first", "second"]);
});
