/** What a new generation takes over: within a limit of time, and with the sender of a request. */
import type { TransportContext } from "tenon/internal";
import type { Sender } from "../channel.ts";

/** Milliseconds for a new generation to take over what one client has said. */
const HANDOVER_MS = 2_000;

/** Waits for a generation to take something over, but not for longer than a client may. */
export async function within(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, HANDOVER_MS)))]);
  clearTimeout(timer);
}

/** What a generation must know of the sender of a request. */
export function senderOf(context: TransportContext | undefined): Sender {
  return { kind: context?.kind ?? "http", address: context?.address };
}
