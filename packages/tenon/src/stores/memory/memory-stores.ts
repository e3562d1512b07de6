/** `memoryStores()`: every store of the SDK in the memory of one process. */
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { MemoryStore } from "../../auth/login/auth-store.ts";
import { MemoryTaskStore } from "../../extensions/tasks/index.ts";
import { MemoryStateStore } from "../../session/asking/rounds/memory-state-store.ts";
import { logError, type Stores } from "../stores.ts";
import { MemoryBus } from "./bus.ts";
import { MemoryEventLog } from "../../storage/memory/event-log.ts";
import { MemoryKeyedStore } from "../../storage/memory/keyed-store.ts";

/** Options of {@link memoryStores}. */
export interface MemoryStoresOptions {
  /** The clock that entries expire by. Default: the system's clock. */
  readonly clock?: Clock;
  /** Receives what a listener of the bus throws. Default: it is written to the console. */
  readonly onError?: (error: unknown) => void;
}

const KEYS: OptionKeys<MemoryStoresOptions> = { clock: 1, onError: 1 };

/**
 * Stores in the memory of this process, for tests and for several endpoints of one process. They end with the process. Full stores refuse
 * what is new with a LimitExceededError: 64 Mi characters of keyed values, 64 Mi of events, 100 000 streams.
 *
 * @throws TypeError if an option has a wrong name
 */
export function memoryStores(options: MemoryStoresOptions = {}): Stores {
  assertKnown("memoryStores()", options, KEYS);
  const { clock = systemClock, onError = logError } = options;
  return {
    keyed: new MemoryKeyedStore(clock),
    events: new MemoryEventLog(clock),
    bus: new MemoryBus(onError),
    states: new MemoryStateStore({ clock }),
    proofs: new MemoryStateStore({ clock }),
    tasks: new MemoryTaskStore(),
    logins: new MemoryStore(),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
