/** `natsStores()`: every store of the SDK in NATS with JetStream. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { explained, reportTo } from "../store-error.ts";
import { assertUrl, checkTimeout, DEFAULT_TIMEOUT, STORE_KEYS, storesOver } from "../engine-stores.ts";
import { logError, type StoreOptions, type Stores } from "../stores.ts";
import { NatsConnection } from "./connection.ts";
import { NatsEventLog } from "./event-log.ts";
import { NatsKeyedEngine } from "./keyed-engine.ts";
import { NatsStream, type StreamOptions } from "./stream.ts";
import { Sweeper } from "./sweeper.ts";
import { NatsTable } from "./table.ts";
import { NatsTaskStore } from "./task-store.ts";
import { TopicBus } from "../topic-bus.ts";

/** Options of {@link natsStores}. */
export interface NatsStoresOptions extends StoreOptions {
  /** Where NATS is: `nats://user:password@host:4222`, or `tls:` for TLS. Default `nats://localhost:4222`. */
  readonly url?: string;
  /** More options of `connect` of the package `@nats-io/transport-node`: `servers`, `tls`, `authenticator`, `token`. */
  readonly client?: Readonly<Record<string, unknown>>;
  /** What the names of streams and subjects begin with: letters, digits, `-` and `_`. Default `tenon-1`. Processes with different prefixes share nothing. */
  readonly prefix?: string;
  /** Servers that keep a copy of everything, when these stores make the streams: 1, 3 or 5. Default 1. */
  readonly replicas?: number;
  /** Bytes that each of the two streams may have, when these stores make them. A full one refuses writes. Default: as many as the server allows. */
  readonly maxBytes?: number;
}

const KEYS: OptionKeys<NatsStoresOptions> = {
  url: 1,
  client: 1,
  prefix: 1,
  replicas: 1,
  maxBytes: 1,
  ...STORE_KEYS,
};

/**
 * Stores in NATS 2.9 or newer with JetStream, for all processes that name the same engine and prefix. Needs the packages
 * `@nats-io/transport-node` and `@nats-io/jetstream`. They make two streams, `<prefix>-keyed` and `<prefix>-events`.
 *
 * As durable as the engine: what was stored survives the death of the server's process. The death of its machine may lose the last two
 * minutes, unless there are `replicas` or the server has `sync_interval: always`.
 *
 * @throws TypeError, RangeError if an option has a wrong name or value
 */
export function natsStores(options: NatsStoresOptions = {}): Stores {
  assertKnown("natsStores()", options, KEYS);
  const { prefix = "tenon-1" } = options;
  const onError = reportTo("NATS", options.onError ?? logError, (): boolean => connection.isClosed);
  const timeout = checkTimeout(options.timeout ?? DEFAULT_TIMEOUT);
  const [keyedOptions, eventOptions] = streamsOf(options);
  const connection = new NatsConnection({
    client: { ...serverOf(options.url ?? "nats://localhost:4222"), ...options.client },
    timeout,
    prepare: async (jetStream) => {
      await NatsStream.prepare(jetStream, keyedOptions);
      await NatsStream.prepare(jetStream, eventOptions);
    },
    onError,
  });
  const [keyed, events] = [new NatsStream(connection, keyedOptions), new NatsStream(connection, eventOptions)];
  const table = new NatsTable(keyed);
  const engine = new NatsKeyedEngine(table, () => keyed.now());
  const sweeper = new Sweeper([keyed, events], engine, onError);
  for (const stream of [keyed, events]) {
    stream.onStored(() => sweeper.sweepSometimes());
    stream.onFull(() => sweeper.makeRoom());
  }
  return {
    events: new NatsEventLog(events),
    bus: natsBus(connection, prefix, onError),
    ...storesOver(engine, options),
    tasks: new NatsTaskStore(connection, table, engine, `${prefix}.tasks`, onError),
    ready: () => explained("NATS", connection.ready()),
    close: () => connection.close(),
  };
}

/** @throws TypeError, RangeError */
function streamsOf({ prefix = "tenon-1", replicas = 1, maxBytes = -1 }: NatsStoresOptions): readonly [StreamOptions, StreamOptions] {
  if (!/^[\w-]{1,64}$/.test(prefix)) throw new TypeError(`Option "prefix" must be 1 to 64 letters, digits, "-" and "_", not "${prefix}"`);
  if (![1, 3, 5].includes(replicas)) throw new RangeError(`Option "replicas" must be 1, 3 or 5, not ${replicas}`);
  if (maxBytes !== -1 && !(Number.isInteger(maxBytes) && maxBytes > 0))
    throw new RangeError(`Option "maxBytes" must be a whole number of bytes > 0, not ${maxBytes}`);
  const options = { replicas, maxBytes };
  return [
    { name: `${prefix}-keyed`, subjects: `${prefix}.keyed`, perSubject: 1, ...options },
    { name: `${prefix}-events`, subjects: `${prefix}.events`, perSubject: -1, ...options },
  ];
}

/** The library takes no user, password or TLS from a URL. @throws TypeError if it is no URL of NATS */
function serverOf(text: string): Record<string, unknown> {
  assertUrl("url", text, ["nats:", "tls:"]);
  const url = new URL(text);
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const credentials = user === "" ? {} : pass === "" ? { token: user } : { user, pass };
  return { servers: url.host, ...credentials, ...(url.protocol === "tls:" && { tls: {} }) };
}

/** UTF-8 bytes of a message. The server takes one MiB, if it is not configured to take less. */
const MAX_MESSAGE = 2 ** 20 - 1_024;

/** Messages between nodes by publish and subscribe: see `Bus`. */
function natsBus(connection: NatsConnection, prefix: string, onError: (error: unknown) => void): TopicBus {
  // A topic is one part of a subject, and a point would begin another one.
  const subject = (topic: string): string => `${prefix}.bus.${topic.replaceAll(".", "~")}`;
  return new TopicBus(
    {
      maxMessage: MAX_MESSAGE,
      publish: (topic, message) => connection.publish(subject(topic), message),
      open: (topic, tell) => connection.subscribe(subject(topic), tell),
      close: (topic) => connection.unsubscribe(subject(topic)),
      onGap: (listener) => connection.onGap(listener),
      isClosed: () => connection.isClosed,
    },
    onError,
  );
}
