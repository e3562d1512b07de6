// What both soaks share: how a process of theirs is asked, and what its samples say about growth.
import { lowerEnvelope, theilSen } from "./slope.mjs";

/** Cycles without which a slope says nothing. */
export const LEAST = 12;
/** Bytes of the heap for each operation: 0.5 KB for 1 000. */
const MAX_SLOPE = 0.512;

/** The next message of a process. @throws Error if the process ends, or says that it failed */
export function heard(child) {
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      child.off("message", onMessage).off("exit", onExit);
      settle(value);
    };
    const onMessage = (said) => (said.error === undefined ? end(resolve, said) : end(reject, new Error(said.error)));
    const onExit = (code) => end(reject, new Error(`a process of the soak ended with ${code}`));
    child.on("message", onMessage).on("exit", onExit);
  });
}

export function ask(child, order) {
  child.send(order);
  return heard(child);
}

/** How a value grows with the operations: by the slope of its lower envelope, and from its first samples to its last. */
export function growthOf(samples, value) {
  const points = samples.map((sample) => ({ x: sample.operations, y: value(sample) }));
  const values = points.map(({ y }) => y);
  return { slope: theilSen(lowerEnvelope(points)), growth: Math.min(...values.slice(-5)) - Math.max(...values.slice(0, 5)) };
}

/** Whether a heap grows: by more than 0.5 KB in 1 000 operations, and by more than the noise in all. */
export function heapGrows({ slope, growth }, noise) {
  return slope > MAX_SLOPE && growth > noise;
}
