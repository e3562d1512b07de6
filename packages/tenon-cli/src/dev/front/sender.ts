/** What a generation must know of the sender of a request. */
import type { TransportContext } from "tenon/internal";
import type { Sender } from "../channel.ts";

export function senderOf(context: TransportContext | undefined): Sender {
  return { kind: context?.kind ?? "http", address: context?.address };
}
