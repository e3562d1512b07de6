/** A bounded wait. */

/** Waits for `promise`, but not longer than `ms` milliseconds. False where time was up first or the promise rejected. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([settled, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
