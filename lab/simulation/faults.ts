/** What goes wrong in a world, and how often: drawn once from its seed, so that there are quiet worlds and wild ones. */
import type { Random } from "./random.ts";

export interface Faults {
  /** Milliseconds a message is on its way, at most. Each has its own delay, so that requests overtake each other. */
  readonly delay: number;
  /** Probability that a request does not arrive. */
  readonly lostRequests: number;
  /** Probability that a request is carried out, and its response does not arrive. */
  readonly lostResponses: number;
  /** Probability that a request arrives a second time, much later or soon. */
  readonly duplicates: number;
  /** Probability, at each piece of a stream, that its connection breaks in the middle of the piece. */
  readonly cuts: number;
  /** Probability that a client reads a stream slowly. */
  readonly slowReaders: number;
  /** Probability that an operation of a shared store takes a while. */
  readonly slowDisk: number;
  /** Processes that crash. */
  readonly crashes: number;
  /** Times in which a client cannot reach a process. */
  readonly partitions: number;
  /** Milliseconds by which wall clocks are wrong, at most. Far less than a lease: see README.md. */
  readonly skew: number;
  /** How often a claim may be made, in all: few, so that the store fills up. */
  readonly maxClaims: number;
}

/** Half of all kinds of faults do not happen in a world. */
export function drawFaults(random: Random): Faults {
  const wildness = random.pick([0, 0.3, 1, 1]);
  const often = (most: number): number => (random.chance(0.5) ? random.next() * most * wildness : 0);
  return {
    delay: random.pick([2, 20, 300]),
    lostRequests: often(0.15),
    lostResponses: often(0.15),
    duplicates: often(0.5),
    cuts: often(0.25),
    slowReaders: often(0.4),
    slowDisk: often(0.5),
    crashes: wildness > 0 && random.chance(0.5) ? random.between(1, 3) : 0,
    partitions: wildness > 0 && random.chance(0.4) ? random.between(1, 2) : 0,
    skew: wildness > 0 ? random.between(0, 200) : 0,
    maxClaims: random.chance(0.35) ? random.between(2, 6) : 1_000,
  };
}
