import { expect, test } from "vitest";
import { VirtualClock } from "../../../test/support/virtual-clock.ts";
import type { Change } from "../features/change.ts";
import { Changes, COALESCE_MS } from "./changes.ts";

function watched(): { clock: VirtualClock; changes: Changes; heard: Change[] } {
  const clock = new VirtualClock();
  const changes = new Changes(clock);
  const heard: Change[] = [];
  changes.subscribe((change) => heard.push(change));
  return { clock, changes, heard };
}

test("the first change goes out at the end of the turn, equal ones as one [U3]", async () => {
  const { changes, heard } = watched();
  for (let i = 0; i < 100; i++) changes.publish({ kind: "tools" });
  changes.publish({ kind: "resource", uri: "a:1" });
  changes.publish({ kind: "resource", uri: "a:2" });
  expect(heard).toEqual([]);
  await Promise.resolve();
  expect(heard).toEqual([{ kind: "tools" }, { kind: "resource", uri: "a:1" }, { kind: "resource", uri: "a:2" }]);
});

test("what follows within the interval goes out at its end, and begins another [U3]", async () => {
  const { clock, changes, heard } = watched();
  changes.publish({ kind: "tools" });
  await clock.advance(COALESCE_MS - 1);
  changes.publish({ kind: "tools" });
  changes.publish({ kind: "prompts" });
  expect(heard).toHaveLength(1);
  await clock.advance(1);
  expect(heard).toEqual([{ kind: "tools" }, { kind: "tools" }, { kind: "prompts" }]);
  changes.publish({ kind: "tools" });
  await clock.advance(COALESCE_MS);
  expect(heard).toHaveLength(4);
  await clock.advance(COALESCE_MS);
  expect(clock.pending).toBe(0);
});

test("a timer that is dropped, as workers do with the end of a request, holds no later change back [U3]", async () => {
  const { clock, changes, heard } = watched();
  const dropped: unknown[] = [];
  const setTimer = clock.setTimer.bind(clock);
  clock.setTimer = (ms, callback) => {
    const timer = setTimer(ms, callback);
    dropped.push(timer);
    return timer;
  };
  changes.publish({ kind: "tools" });
  await Promise.resolve();
  changes.publish({ kind: "prompts" });
  for (const timer of dropped) clock.clearTimer(timer);
  await clock.advance(COALESCE_MS);
  expect(heard).toEqual([{ kind: "tools" }]);
  changes.publish({ kind: "resources" });
  await Promise.resolve();
  expect(heard).toEqual([{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }]);
});

test("without a listener nothing is kept and no timer is set", async () => {
  const clock = new VirtualClock();
  const changes = new Changes(clock);
  const stop = changes.subscribe(() => expect.unreachable());
  stop();
  changes.publish({ kind: "tools" });
  await Promise.resolve();
  expect(clock.pending).toBe(0);
});
