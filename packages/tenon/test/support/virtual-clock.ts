/** Time that passes only when a test says so: what `tenon/testing` gives, and a turn of the event loop. */
import type { Timer } from "../../src/base/clock.ts";
import { VirtualClock } from "../../src/testing/virtual-clock.ts";

export { turn, VirtualClock } from "../../src/testing/virtual-clock.ts";

/**
 * A virtual clock that keeps how long each timer was set for, in ms: what waits in another process or on a socket shows nothing
 * else.
 */
export class RecordingClock extends VirtualClock {
  readonly delays: number[] = [];

  override setTimer(ms: number, callback: () => void): Timer {
    this.delays.push(ms);
    return super.setTimer(ms, callback);
  }
}
