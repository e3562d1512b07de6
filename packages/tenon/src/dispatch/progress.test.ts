import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { turn, VirtualClock } from "../../test/support/virtual-clock.ts";
import { MAX_WAITING_STEPS, ProgressDelivery, toProgress, type ProgressChannel } from "./progress.ts";

function channelWith(maxProgressRate: number, clock = new VirtualClock()): ProgressChannel {
  return { clock, limits: { maxProgressRate }, report: (error) => expect.fail(`reported ${String(error)}`) };
}
const owner = channelWith(Infinity);

describe("progress", () => {
  it("delivers what goes forward, in order, one at a time, the last one always [XT-07 CF-14 D8]", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -9, max: 9 }), { maxLength: 200 }),
        fc.boolean(),
        async (steps, slow) => {
          const seen: number[] = [];
          let running = 0;
          const delivery = new ProgressDelivery(({ progress }) => {
            expect(running).toBe(0);
            seen.push(progress);
            if (!slow) return undefined;
            running++;
            return Promise.resolve().then(() => void running--);
          }, owner);
          const accepted = steps.filter((progress) => delivery.accept({ progress }));
          await turn();
          const rising = steps.filter((step, i) => steps.slice(0, i).every((earlier) => earlier < step));
          expect(accepted).toEqual(rising);
          if (!slow || rising.length <= MAX_WAITING_STEPS) expect(seen).toEqual(rising);
          else expect(seen).toEqual([...rising.slice(0, MAX_WAITING_STEPS), rising.at(-1)]);
        },
      ),
    );
  });

  it("keeps a bounded number of steps for a callback that never comes back, and forgets them at the end [D8]", async () => {
    const seen: number[] = [];
    let finish!: () => void;
    const delivery = new ProgressDelivery(({ progress }) => {
      seen.push(progress);
      return new Promise<void>((resolve) => (finish = resolve));
    }, owner);
    for (let progress = 0; progress < 100_000; progress++) delivery.accept({ progress });
    finish();
    await turn();
    expect(seen).toEqual([0, 1]);
    delivery.stop();
    finish();
    await turn();
    expect(seen).toEqual([0, 1]);
  });

  it("of progress faster than the rate the newest is delivered, however long the next one takes [D8]", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const delivery = new ProgressDelivery(({ progress }) => void seen.push(progress), channelWith(2, clock));
    for (let progress = 1; progress <= 9; progress++) expect(delivery.accept({ progress })).toBe(true);
    expect(seen).toEqual([1, 2]);
    await clock.advance(499);
    expect(seen).toEqual([1, 2]);
    await clock.advance(1);
    expect(seen).toEqual([1, 2, 9]);
    expect(clock.pending).toBe(0);
    // Half a second later there is room for one again, which is delivered at once.
    await clock.advance(500);
    delivery.accept({ progress: 10 });
    delivery.accept({ progress: 11 });
    expect(seen).toEqual([1, 2, 9, 10]);
    delivery.finish();
    delivery.stop();
    expect(seen).toEqual([1, 2, 9, 10, 11]);
    await clock.advance(1_000);
    expect([seen.length, clock.pending]).toEqual([5, 0]);
  });

  it("a call that fails delivers no held progress [D8]", async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const delivery = new ProgressDelivery(({ progress }) => void seen.push(progress), channelWith(1, clock));
    for (const progress of [1, 2]) delivery.accept({ progress });
    delivery.stop();
    await clock.advance(5_000);
    expect([seen, clock.pending]).toEqual([[1], 0]);
  });

  it("reads progress, omits members of another type, and ignores progress without a number [requirement G6]", () => {
    expect(toProgress({ progress: 0.5, total: 2, message: "m", other: 1 })).toEqual({ progress: 0.5, total: 2, message: "m" });
    expect(toProgress({ progress: 0, total: "2", message: null })).toEqual({ progress: 0 });
    for (const progress of [undefined, null, "1", true, {}]) expect(toProgress({ progress })).toBeUndefined();
  });
});
