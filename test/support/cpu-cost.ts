/**
 * What work costs, for tests of how a cost grows: never compared with a number of milliseconds, only with the cost of other
 * work that ran on the same machine just before.
 */

/** The CPU milliseconds of the cheapest of three runs. Time in which other processes had the processor does not count. */
export function leastCpuTime(work: () => unknown): number {
  const times = [0, 0, 0].map(() => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.max(Math.min(...times), 0.05);
}

/** How much more the work costs for 2 ** 18 than for 2 ** 14: 16 times if the cost is linear, 256 times if it is quadratic. */
export function growth(work: (size: number) => unknown): number {
  const [small, large] = [2 ** 14, 2 ** 18].map((size) => leastCpuTime(() => work(size)));
  return large! / small!;
}

/** More than a linear cost ever grows on a busy machine, and far less than a quadratic one. */
export const LINEAR = 64;
