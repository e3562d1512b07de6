import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../test/support/virtual-clock.ts";
import { SlowBodies, type ArrivingBody } from "./slow-bodies.ts";

interface Body extends ArrivingBody {
  size: number;
  gone: boolean;
  cutAt: number | undefined;
}

function bodyOn(clock: VirtualClock): Body {
  const body: Body = { size: 0, gone: false, cutAt: undefined, onSlow: () => (body.cutAt = clock.now()) };
  return body;
}

describe("bodies that come slowly [fault H7]", () => {
  it("have five seconds, then must have come at the rate from the beginning, looked at once a second [fault H7]", async () => {
    const clock = new VirtualClock();
    const slow = new SlowBodies(clock, 1_000);
    const [silent, dribbling, steady, burst] = [bodyOn(clock), bodyOn(clock), bodyOn(clock), bodyOn(clock)];
    for (const body of [silent, dribbling, steady, burst]) slow.add(body);
    burst.size = 8_000;
    for (let second = 1; second <= 20; second++) {
      dribbling.size += 999;
      steady.size += 1_000;
      await clock.advance(1_000);
    }
    expect([silent, dribbling, steady, burst].map(({ cutAt }) => cutAt)).toEqual([6_000, 6_000, undefined, 9_000]);
    slow.delete(steady);
    await clock.advance(2_000);
    expect(clock.pending).toBe(0);
  });

  it("all of them cost one timer, and none of them no timer [fault H7]", async () => {
    const clock = new VirtualClock();
    const slow = new SlowBodies(clock);
    const bodies = Array.from({ length: 1_000 }, () => bodyOn(clock));
    for (const body of bodies) slow.add(body);
    expect(clock.pending).toBe(1);
    for (const body of bodies) slow.delete(body);
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
    slow.add(bodies[0]!);
    expect(clock.pending).toBe(1);
  });

  it("are forgotten where their client has gone [fault H7]", async () => {
    const clock = new VirtualClock();
    const slow = new SlowBodies(clock);
    const body = bodyOn(clock);
    slow.add(body);
    body.gone = true;
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
    await clock.advance(10_000);
    expect(body.cutAt).toBe(undefined);
  });

  it("are never cut where there is no minimum [fault H7]", async () => {
    const clock = new VirtualClock();
    const body = bodyOn(clock);
    new SlowBodies(clock, 0).add(body);
    await clock.advance(100_000);
    expect([body.cutAt, clock.pending]).toEqual([undefined, 0]);
  });
});
