/** Time that passes only when a test says so: what `tenon/testing` gives, and a turn of the event loop. */
export { turn, VirtualClock } from "../../src/testing/virtual-clock.ts";
