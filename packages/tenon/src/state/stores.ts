/**
 * Where what is kept between calls lies, if no option says it: in the stores of the endpoint, else in what the workers of the program
 * share, else in the memory of this process.
 */
import { systemClock } from "../base/clock.ts";
import { StoreClock } from "../base/store-clock.ts";
import { workerStore } from "../base/worker-host.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ServerHome } from "../session/connection.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { MemoryKeyedStore } from "../storage/memory/keyed-store.ts";

/** The memory of each server: two servers of one process share nothing. */
const memories = new WeakMap<object, KeyedStore>();
/** The stores that a default has led to, so that a user can be forgotten outside of a request. They end with their servers. */
const used = new Set<WeakRef<KeyedStore>>();
const stores = new WeakSet<KeyedStore>();
const clocks = new WeakMap<KeyedStore, StoreClock>();

export function storeFor(context: RequestContext, own: KeyedStore | undefined): KeyedStore {
  return own ?? storeOf(context.questionSource ?? context.connection.home ?? context.connection);
}

/** The store of a server, or of a connection without one. */
export function storeOf(home: object): KeyedStore {
  const store =
    ("shared" in home ? (home as Partial<ServerHome>).shared?.keyed : undefined) ?? workerStore<KeyedStore>("keyed") ?? memoryOf(home);
  remember(store);
  return store;
}

/** Lets a user be forgotten in a store, also if no default has led to it. */
export function remember(store: KeyedStore): void {
  if (stores.has(store)) return;
  stores.add(store);
  for (const one of used) if (one.deref() === undefined) used.delete(one);
  used.add(new WeakRef(store));
}

function memoryOf(home: object): KeyedStore {
  const known = memories.get(home);
  if (known !== undefined) return known;
  const made = new MemoryKeyedStore();
  memories.set(home, made);
  return made;
}

/** The stores in which something may lie. */
export function storesInUse(own: KeyedStore | undefined): readonly KeyedStore[] {
  return own === undefined ? [...used].flatMap((one) => one.deref() ?? []) : [own];
}

/** The clock of a store: nodes compare times by it. */
export function clockOf(store: KeyedStore): StoreClock {
  const known = clocks.get(store);
  if (known !== undefined) return known;
  const made = new StoreClock(systemClock, store);
  clocks.set(store, made);
  return made;
}
