/** The limit of time in which a new generation takes something over from the one before. */

/** Milliseconds for a new generation to take over what one client has said. */
const HANDOVER_MS = 2_000;

/** Waits for a generation to take something over, but not for longer than a client may. */
export async function within(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, HANDOVER_MS)))]);
  clearTimeout(timer);
}
