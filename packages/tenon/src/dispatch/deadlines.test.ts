import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../test/support/virtual-clock.ts";
import { Deadlines, type Expiring } from "./deadlines.ts";

/** What can expire, and when each did. */
class Entries {
  readonly clock: VirtualClock;
  readonly live: Set<Expiring> = new Set<Expiring>();
  readonly reports: unknown[] = [];
  readonly expired: [due: number, at: number][] = [];
  readonly deadlines: Deadlines;
  /** Called just before an entry expires. */
  onExpiry: () => void = () => undefined;

  constructor(clock: VirtualClock = new VirtualClock()) {
    this.clock = clock;
    this.deadlines = new Deadlines(
      clock,
      () => this.live,
      (error) => this.reports.push(error),
    );
  }

  add(deadline: number): Expiring {
    const entry: Expiring = {
      deadline,
      expire: () => {
        this.onExpiry();
        this.live.delete(entry);
        this.expired.push([deadline, this.clock.now()]);
      },
    };
    this.live.add(entry);
    if (deadline !== Infinity) this.deadlines.watch(deadline);
    return entry;
  }
}

describe("Deadlines", () => {
  it("expires each entry when it is due, with one timer for all [D9]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(500), { maxLength: 20 }), fc.array(fc.nat(200), { maxLength: 8 }), async (dues, steps) => {
        const entries = new Entries();
        for (const due of dues) entries.add(due);
        for (const step of [...steps, 500]) {
          expect(entries.clock.pending).toBeLessThanOrEqual(1);
          await entries.clock.advance(step);
        }
        expect(entries.expired.map(([due]) => due).sort((a, b) => a - b)).toEqual([...dues].sort((a, b) => a - b));
        for (const [due, at] of entries.expired) expect(at - due).toBe(0);
        expect(entries.clock.pending).toBe(0);
      }),
    );
  });

  it("leaves alone what was extended or is never due [D9]", async () => {
    const entries = new Entries();
    entries.add(Infinity);
    const extended = entries.add(100) as { deadline: number };
    extended.deadline = 300;
    await entries.clock.advance(299);
    expect(entries.expired).toEqual([]);
    await entries.clock.advance(1);
    expect(entries.live.size).toBe(1);
    expect(entries.clock.pending).toBe(0);
  });

  it("leaves alone what the expiry of another has extended [D9]", async () => {
    const entries = new Entries();
    const first = entries.add(100);
    const second = entries.add(100) as { deadline: number };
    entries.onExpiry = () => {
      if (entries.live.has(first)) second.deadline = 300;
    };
    await entries.clock.advance(299);
    expect(entries.expired).toEqual([[100, 100]]);
    await entries.clock.advance(1);
    expect(entries.expired).toEqual([
      [100, 100],
      [100, 300],
    ]);
  });

  it("reports once for all connections that the event loop stalled, and not that it was a little late [fault Z2]", async () => {
    const entries = new Entries();
    const others = new Entries(entries.clock);
    for (const one of [entries, others]) one.add(100_000);
    entries.clock.stall(5_249); // a sleep takes 250 ms
    await entries.clock.advance(0);
    expect([...entries.reports, ...others.reports]).toEqual([]);
    entries.clock.stall(6_250);
    await entries.clock.advance(0);
    const message = "The event loop did not run for 6000 ms: code of this process blocked it, or the process was suspended";
    expect([...entries.reports, ...others.reports]).toMatchObject([{ code: -32603, message, data: { stalledMs: 6_000 } }]);
    await entries.clock.advance(10_000);
    entries.clock.stall(5_250);
    await entries.clock.advance(0);
    expect([...entries.reports, ...others.reports]).toMatchObject([{}, { data: { stalledMs: 5_000 } }]);
  });

  it("reports a stall that follows another at once [fault Z2]", async () => {
    const entries = new Entries();
    entries.add(100);
    entries.clock.setTimer(200, () => entries.clock.stall(7_000)); // it fires before what is set in the first stall
    entries.clock.stall(6_100);
    await entries.clock.advance(0);
    expect(entries.reports).toMatchObject([{ data: { stalledMs: 6_000 } }, { data: { stalledMs: 7_000 } }]);
  });

  it("a deadline may be further away than a timer can wait [D15]", async () => {
    const entries = new Entries();
    entries.add(2 ** 33);
    entries.clock.stall(2 ** 33 - 1);
    await entries.clock.advance(0);
    expect(entries.expired).toEqual([]);
    await entries.clock.advance(1);
    expect(entries.expired).toEqual([[2 ** 33, 2 ** 33]]);
  });

  it("after a stall lets ready work run before anything expires [D15]", async () => {
    const entries = new Entries();
    const entry = entries.add(100);
    entries.clock.setTimer(100, () => entries.live.delete(entry));
    entries.clock.stall(3_600_000);
    await entries.clock.advance(1);
    expect(entries.expired).toEqual([]);
  });

  it("a timer with nothing left to do runs out within a quarter of a second [XT-20]", async () => {
    const entries = new Entries();
    entries.live.delete(entries.add(60_000));
    await entries.clock.advance(250);
    expect(entries.clock.pending).toBe(0);
  });

  it("stops without leaving a timer, and can start again [XT-20]", async () => {
    const entries = new Entries();
    entries.add(100);
    entries.deadlines.stop();
    entries.deadlines.stop();
    expect(entries.clock.pending).toBe(0);
    entries.deadlines.watch(200);
    await entries.clock.advance(200);
    expect(entries.expired).toEqual([[100, 200]]);
  });
});
