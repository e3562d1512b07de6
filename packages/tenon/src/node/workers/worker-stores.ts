/** The stores of a worker: each method is one call of the store in the primary process. */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import { unlessAborted } from "../../base/abort.ts";
import type { RateStore } from "../../base/bounds/rate-counts.ts";
import { randomId } from "../../base/bytes.ts";
import type { TaskStore } from "../../extensions/tasks/index.ts";
import type { EventLog } from "../../storage/event-log.ts";
import type { KeyedStore } from "../../storage/keyed-store.ts";
import type { StateStore } from "../../storage/state-store.ts";
import { ListenerSet } from "../../stores/listener-set.ts";
import { logError, type Stores } from "../../stores/stores.ts";
import { TopicBus } from "../../stores/topic-bus.ts";
import type { StoreChannel } from "./store-channel.ts";
import { METHODS } from "./messages.ts";

export type WorkerStores = Omit<Stores, "ready" | "close"> & { readonly rates: RateStore };

/** UTF-8 bytes of the longest message of the bus. */
const MAX_MESSAGE: number = 2 ** 20;
const NEVER_LOST: AbortSignal = new AbortController().signal;

/** @param onError receives what a listener throws */
export function workerStores(channel: StoreChannel, onError: (error: unknown) => void = logError): WorkerStores {
  return {
    keyed: called<KeyedStore>(channel, "keyed"),
    events: called<EventLog>(channel, "events"),
    states: called<StateStore>(channel, "states"),
    proofs: called<StateStore>(channel, "proofs"),
    rates: called<RateStore>(channel, "rates"),
    bus: busOver(channel, onError),
    tasks: tasksOver(channel, onError),
    logins: { ...called<AuthStore>(channel, "logins"), lock: lockOver(channel) },
  };
}

/** A store with the methods of the table. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the interface
function called<T>(channel: StoreChannel, store: keyof typeof METHODS): T {
  const methods = METHODS[store].map((method) => [method, (...args: readonly unknown[]) => channel.call(store, method, args)]);
  return Object.fromEntries(methods) as T; // the primary process has an object of this interface
}

function busOver(channel: StoreChannel, onError: (error: unknown) => void): TopicBus {
  const channels = {
    maxMessage: MAX_MESSAGE,
    publish: async (topic: string, message: string) => void (await channel.call("bus", "publish", [topic, message])),
    open: async (topic: string, tell: (message: string) => void) => {
      channel.onTold(`bus ${topic}`, tell);
      await channel.call("bus", "open", [topic]);
    },
    close: async (topic: string) => {
      channel.onTold(`bus ${topic}`, undefined);
      await channel.call("bus", "close", [topic]);
    },
    onGap: () => () => undefined, // the channel loses nothing
    isClosed: () => channel.isClosed,
  };
  return new TopicBus(channels, onError);
}

/** What is stored after a listener was added is heard by it, so changes wait until it listens. */
function tasksOver(channel: StoreChannel, onError: (error: unknown) => void): TaskStore {
  const tasks = called<TaskStore>(channel, "tasks");
  const listeners = changesOver(channel, onError);
  return {
    ...tasks,
    insert: async (...args) => (await listeners.ready, tasks.insert(...args)),
    replace: async (...args) => (await listeners.ready, tasks.replace(...args)),
    subscribe: (listener) => listeners.add(listener),
  };
}

function changesOver(channel: StoreChannel, onError: (error: unknown) => void): ListenerSet {
  return new ListenerSet({
    open: async (tell) => {
      channel.onTold("tasks", tell);
      await channel.call("taskChanges", "open", []);
    },
    close: async () => channel.onTold("tasks", undefined),
    isClosed: () => channel.isClosed,
    onError,
  });
}

/** The primary process releases the locks of a worker that has ended, so that a lock is never lost while its worker runs. */
function lockOver(channel: StoreChannel): AuthStore["lock"] {
  return async (key, work, signal) => {
    const ticket = randomId();
    try {
      await unlessAborted(channel.wait("locks", "acquire", [key, ticket]), signal);
      return await work(NEVER_LOST);
    } finally {
      await channel.call("locks", "release", [ticket]);
    }
  };
}
