/**
 * Standard streams read and written by Tenon's transport, for an official transport whose owner may take part: what the owner puts in the
 * place of `onmessage` or `send` gets the messages, as on the original. Until then nothing stands between the streams and the dispatcher.
 */
import type { Transport as OfficialTransport } from "mcp-sdk-v1/shared/transport.js";
import type { JSONRPCMessage as OfficialMessage } from "mcp-sdk-v1/types.js";
import type { Incoming, MaybePromise, Outgoing, Transport } from "tenon";
import type { StdioTransport } from "tenon/internal/embedding";
import { plainOf } from "./transport-adapter.ts";

type Take = (incoming: Incoming) => MaybePromise<void>;

export class OwnedStdio implements Transport {
  readonly kind = "stdio";
  readonly #official: OfficialTransport;
  readonly #stdio: StdioTransport;
  /** Has the `send` of an owner who takes no part. */
  readonly #usual: Pick<OfficialTransport, "send">;
  readonly #onmessage: (message: OfficialMessage) => void;
  #take: Take | undefined;

  /** @param usual the prototype of the official transport */
  constructor(official: OfficialTransport, stdio: StdioTransport, usual: Pick<OfficialTransport, "send">) {
    this.#official = official;
    this.#stdio = stdio;
    this.#usual = usual;
    const { onmessage: first } = official;
    const onmessage = (message: OfficialMessage): void => void this.#take?.(message as Incoming); // both describe the same messages
    this.#onmessage = onmessage;
    official.onmessage = onmessage;
    if (first === undefined) return;
    official.onmessage = (message, extra) => {
      first(message, extra);
      onmessage(message);
    };
  }

  send(message: Outgoing): MaybePromise<void> {
    return this.#official.send === this.#usual.send ? this.#stdio.send(message) : this.#official.send(plainOf(message));
  }

  writeNow(): void {
    this.#stdio.writeNow();
  }

  receive(): MaybePromise<Incoming> {
    return this.#stdio.receive();
  }

  receiveAll(take: Take): Promise<never> {
    this.#take = take;
    return this.#stdio.receiveAll((incoming) => {
      const { onmessage } = this.#official;
      // Batches, and what is no message, are for the dispatcher to refuse.
      return onmessage === this.#onmessage || !("jsonrpc" in incoming) ? take(incoming) : onmessage?.(incoming as OfficialMessage);
    });
  }

  close(reason?: unknown): Promise<void> {
    return this.#stdio.close(reason);
  }
}
