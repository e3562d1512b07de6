/** A bus over the channels of an engine: what all engines have in common. Each topic is subscribed to once for all its listeners. */
import type { Bus } from "../storage/bus.ts";
import { assertMessage, assertTopic } from "../storage/limits.ts";
import { ListenerSet } from "./listener-set.ts";

/** How an engine carries messages. */
export interface BusChannels {
  /** UTF-8 bytes of the longest message. */
  readonly maxMessage: number;
  readonly publish: (topic: string, message: string) => Promise<void>;
  readonly open: (topic: string, tell: (message: string) => void) => Promise<void>;
  readonly close: (topic: string) => Promise<void>;
  /** Calls the listener when messages may have been missed. */
  readonly onGap: (listener: () => void) => () => void;
  readonly isClosed: () => boolean;
}

export class TopicBus implements Bus {
  readonly maxMessage: number;
  readonly #channels: BusChannels;
  readonly #topics = new Map<string, ListenerSet>();
  readonly #onError: (error: unknown) => void;

  constructor(channels: BusChannels, onError: (error: unknown) => void) {
    this.maxMessage = channels.maxMessage;
    this.#channels = channels;
    this.#onError = onError;
  }

  async publish(topic: string, message: string): Promise<void> {
    assertTopic(topic);
    assertMessage(message, this.maxMessage);
    await this.#channels.publish(topic, message);
  }

  async subscribe(topic: string, listener: (message: string) => void): Promise<() => void> {
    assertTopic(topic);
    let listeners = this.#topics.get(topic);
    if (listeners === undefined) this.#topics.set(topic, (listeners = this.#listenersOf(topic)));
    const remove = listeners.add(listener);
    await listeners.ready;
    return () => {
      remove();
      void listeners.ready.then(() => {
        if (listeners.isEmpty && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
      });
    };
  }

  onGap(listener: () => void): () => void {
    return this.#channels.onGap(listener);
  }

  #listenersOf(topic: string): ListenerSet {
    const { open, close, isClosed } = this.#channels;
    return new ListenerSet({ open: (tell) => open(topic, tell), close: () => close(topic), isClosed, onError: this.#onError });
  }
}
