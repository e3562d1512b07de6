/**
 * One world: time, chance, a network, machines and a disk. It owns all of them, so that a seed decides everything that happens in
 * it.
 */
import { VirtualClock } from "tenon/testing";
import { Disk } from "./disk.ts";
import { drawFaults, type Faults } from "./faults.ts";
import { Ledger } from "./ledger.ts";
import { Network } from "./network.ts";
import { Machine, type Process } from "./process.ts";
import { ProcessClock } from "./process-clock.ts";
import { Random } from "./random.ts";
import { COUNTER } from "./server.ts";

export class World {
  readonly seed: number;
  /**
   * What was added to the workload later happens in every fifth world: the others stay as they are, and so do seeds that once
   * failed.
   */
  readonly isExtended: boolean;
  readonly random: Random;
  readonly clock: VirtualClock = new VirtualClock();
  readonly ledger: Ledger = new Ledger();
  readonly network: Network;
  readonly disk: Disk;
  readonly machines: readonly Machine[];
  /** The machine whose server is reached through pipes. */
  readonly local: Machine;
  /** All processes that ever ran. */
  readonly processes: Process[] = [];
  /** The text of a resource that changes. */
  counter = 0;
  /** When it changed last. */
  countedAt = 0;
  /** What goes wrong; nothing after the storm. */
  faults: Faults;
  /** What happened, a line each; kept only if it is wanted. */
  readonly lines: string[] | undefined;
  /** A number that two runs have in common only if the same happened in both. */
  digest = 0;

  constructor(seed: number, traced = false) {
    this.seed = seed;
    this.isExtended = seed % 5 === 3;
    this.random = new Random(seed);
    this.faults = drawFaults(this.random);
    this.lines = traced ? [] : undefined;
    this.disk = new Disk(new ProcessClock(this.clock, 0), this.faults.maxClaims);
    this.network = new Network(this);
    this.machines = [new Machine(this, "a"), new Machine(this, "b")];
    this.local = new Machine(this, "local");
    for (const machine of [...this.machines, this.local]) machine.start();
  }

  /** A line of the log. Ids are omitted: they are random, and nothing depends on them. */
  trace(line: string): void {
    const text = `${this.clock.now()} ${line.replace(/[\w-]{22,}/g, "(id)")}`;
    for (let index = 0; index < text.length; index++) this.digest = (Math.imul(this.digest, 31) + text.charCodeAt(index)) | 0;
    this.lines?.push(text);
  }

  later(ms: number, then: () => void): void {
    this.clock.setTimer(ms, then);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /** The way of one message. */
  travel(): Promise<void> {
    return this.sleep(this.random.between(1, this.faults.delay));
  }

  /** The resource changes, and every process learns of it: by a bus of the application, say. */
  count(): void {
    this.counter++;
    this.countedAt = this.clock.now();
    this.trace(`counter ${this.counter}`);
    for (const { process } of this.machines) process?.server.resourceUpdated(COUNTER);
  }

  /** Ends the storm: nothing goes wrong any more. The supervisor starts what is down. */
  heal(): void {
    this.trace("healed");
    this.faults = {
      ...this.faults,
      delay: 20,
      lostRequests: 0,
      lostResponses: 0,
      duplicates: 0,
      cuts: 0,
      slowReaders: 0,
      slowDisk: 0,
    };
    this.network.heal();
  }
}
