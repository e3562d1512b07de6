import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/support/virtual-clock.ts";
import { Pauses } from "./pauses.ts";
import { gate } from "../../test/support/gate.ts";

/** A pause that lasts until the function it comes with is called. */
function pause(pauses: Pauses): { ended: Promise<void>; end: () => void } {
  const { opened, open } = gate();
  return { ended: pauses.during(opened), end: open };
}

describe("A timer of a connection", () => {
  it("fires after its time when nothing has paused the connection, and never for Infinity", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    new Pauses(clock).startTimer(100, () => fired.push("100"));
    new Pauses(clock).startTimer(Infinity, () => fired.push("never"));
    await clock.advance(99);
    expect(fired).toEqual([]);
    await clock.advance(1);
    expect(fired).toEqual(["100"]);
  });

  it("counts from the end of the last pause, however many overlap and whether they fail", async () => {
    const clock = new VirtualClock();
    const pauses = new Pauses(clock);
    let fired = 0;
    pauses.startTimer(100, () => fired++);
    const first = pause(pauses);
    const failing = pauses.during(Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    await clock.advance(500);
    first.end();
    await first.ended;
    expect(pauses.pausedUntil).toBe(clock.now());
    await clock.advance(99);
    expect(fired).toBe(0);
    await clock.advance(1);
    expect(fired).toBe(1);
  });

  it("can be stopped, also after it was put off", async () => {
    const clock = new VirtualClock();
    const pauses = new Pauses(clock);
    let fired = 0;
    const stop = pauses.startTimer(100, () => fired++);
    const lasting = pause(pauses);
    await clock.advance(150);
    lasting.end();
    await lasting.ended;
    stop();
    await clock.advance(1_000);
    expect(fired).toBe(0);
  });
});
