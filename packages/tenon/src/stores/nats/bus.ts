/** Messages between nodes by publish and subscribe of NATS: see `Bus`. */
import { TopicBus } from "../topic-bus.ts";
import type { NatsConnection } from "./connection.ts";

/** UTF-8 bytes of a message. The server takes one MiB, if it is not configured to take less. */
const MAX_MESSAGE = 2 ** 20 - 1_024;

export function natsBus(connection: NatsConnection, prefix: string, onError: (error: unknown) => void): TopicBus {
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
