/**
 * What work costs, for tests of how a cost grows: never compared with a number of milliseconds, only with the cost of other
 * work that ran on the same machine just before.
 */

/**
 * The CPU milliseconds of the cheapest of three runs. Time in which other processes had the processor does not count, and neither
 * does that of the system: a large input gets new pages of memory, which cost many times as much on a machine that is short of
 * them.
 */
export function leastCpuTime(work: () => unknown): number {
  const times = [0, 0, 0].map(() => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  });
  return Math.max(Math.min(...times), 0.05);
}

/** More than a linear cost ever grows, and far less than a quadratic one. */
export const LINEAR = 64;

/** Measurements until one shows a linear cost. A busy machine raises some of them; a quadratic cost shows in each. */
const TRIES = 10;

/**
 * What the work costs, in costs of the reference: of as many measurements as it takes to be less than `max`. The kernel
 * attributes time to a process by ticks of some milliseconds, so that a single short reference may seem to have cost nothing.
 */
export function costIn(reference: () => unknown, work: () => unknown, max: number): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= max; tries++)
    least = Math.min(least, leastCpuTime(work) / leastCpuTime(reference));
  return least;
}

/** How much more the work costs for 2 ** 18 than for 2 ** 14: 16 times if the cost is linear, 256 times if it is quadratic. */
export function growth(work: (size: number) => unknown): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= LINEAR; tries++) {
    const [small, large] = [2 ** 14, 2 ** 18].map((size) => leastCpuTime(() => work(size)));
    least = Math.min(least, large! / small!);
  }
  return least;
}
