/** Messages between nodes by publish and subscribe of Redis: see `Bus`. */
import { TopicBus } from "../topic-bus.ts";
import type { RedisConnection } from "./connection.ts";

/** UTF-8 bytes of a message. Redis takes more, but ends subscribers that have 32 MB to read. */
const MAX_MESSAGE = 2 ** 20;

export function redisBus(connection: RedisConnection, prefix: string, onError: (error: unknown) => void): TopicBus {
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
