/** `redisStores()`: every store of the SDK in one Redis or Valkey. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { explained, reportTo } from "../store-error.ts";
import { assertUrl, checkTimeout, DEFAULT_TIMEOUT, STORE_KEYS, storesOver } from "../engine-stores.ts";
import { logError, type StoreOptions, type Stores } from "../stores.ts";
import { RedisConnection } from "./connection.ts";
import { RedisEventLog } from "./event-log.ts";
import { RedisKeyedEngine } from "./keyed-engine.ts";
import { RedisTaskStore } from "./task-store.ts";
import { TopicBus } from "../topic-bus.ts";

/** Options of {@link redisStores}. */
export interface RedisStoresOptions extends StoreOptions {
  /** Where Redis is: `redis://user:password@host:6379/0`, or `rediss:` for TLS. Default `redis://localhost:6379`. */
  readonly url?: string;
  /** More options of `createClient` of the package `redis`: `socket` with TLS and reconnecting, `password`, `database`. */
  readonly client?: Readonly<Record<string, unknown>>;
  /** What the names of all keys begin with. Default `tenon:1:`. Processes with different prefixes share nothing. */
  readonly prefix?: string;
  /**
   * What to do if Redis is configured to evict live entries when its memory is full. Default `refuse`. Security: such an engine
   * forgets claims, so a client that fills it can make a step run twice.
   */
  readonly evicting?: "refuse" | "accept";
}

const KEYS: OptionKeys<RedisStoresOptions> = {
  url: 1,
  client: 1,
  prefix: 1,
  evicting: 1,
  ...STORE_KEYS,
};

/**
 * Stores in Redis 7 or newer, or Valkey, for all processes that name the same engine and prefix. Needs the package `redis`.
 *
 * As durable as the engine: with `appendonly yes` and `appendfsync always` nothing that was stored is lost when it or its machine
 * dies; with `everysec` up to two seconds may be.
 *
 * @throws TypeError, RangeError if an option has a wrong name or value
 */
export function redisStores(options: RedisStoresOptions = {}): Stores {
  assertKnown("redisStores()", options, KEYS);
  const { url = "redis://localhost:6379", prefix = "tenon:1:", evicting = "refuse" } = options;
  assertUrl("url", url, ["redis:", "rediss:"]);
  const onError = reportTo("Redis", options.onError ?? logError, (): boolean => connection.isClosed);
  const timeout = checkTimeout(options.timeout ?? DEFAULT_TIMEOUT);
  const connection = new RedisConnection({ client: { ...options.client, url }, timeout, evicting, onError });
  const engine = new RedisKeyedEngine(connection, prefix);
  return {
    events: new RedisEventLog(connection, prefix),
    bus: redisBus(connection, prefix, onError),
    ...storesOver(engine, options),
    tasks: new RedisTaskStore(connection, prefix, onError),
    ready: () => explained("Redis", connection.ready()),
    close: () => connection.close(),
  };
}

/** UTF-8 bytes of a message. Redis takes more, but ends subscribers that have 32 MB to read. */
const MAX_MESSAGE = 2 ** 20;

/** Messages between nodes by publish and subscribe: see `Bus`. */
function redisBus(connection: RedisConnection, prefix: string, onError: (error: unknown) => void): TopicBus {
  const channel = (topic: string): string => `${prefix}bus:${topic}`;
  return new TopicBus(
    {
      maxMessage: MAX_MESSAGE,
      publish: async (topic, message) => void (await connection.command("PUBLISH", channel(topic), message)),
      open: (topic, tell) => connection.subscribe(channel(topic), tell),
      close: (topic) => connection.unsubscribe(channel(topic)),
      onGap: (listener) => connection.onGap(listener),
      isClosed: () => connection.isClosed,
    },
    onError,
  );
}
