/** Reading from any transport: from those that hand over what arrives, and from those that have to be asked for each message. */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { Incoming } from "../jsonrpc/incoming.ts";
import type { Transport } from "../transport/transport.ts";

/** Hands over what arrives, one after the other; the next one waits for what `take` returns. Rejects where there is no more. */
export type ReceiveAll = (take: (incoming: Incoming) => MaybePromise<void>) => Promise<never>;

export function receiveAllOf(transport: Transport): ReceiveAll {
  return (take) => transport.receiveAll?.(take) ?? receiveEach(transport, take);
}

/** Each message is taken in the context it was sent in, where the transport knows it. */
async function receiveEach(transport: Transport, take: (incoming: Incoming) => MaybePromise<void>): Promise<never> {
  for (;;) {
    const received = transport.receive();
    const incoming = isPromise(received) ? await received : received;
    const { lastContext } = transport;
    const wait = lastContext === undefined ? take(incoming) : lastContext(() => take(incoming));
    if (wait !== undefined) await wait;
  }
}
