/** Reports to the operator what went wrong outside a call. */

/** Calls `onError` with `error`. What a listener throws is ignored: there is no one left to report it to. */
export function reportTo(onError: ((error: Error) => void) | undefined, error: unknown): void {
  try {
    onError?.(error instanceof Error ? error : new Error(String(error)));
  } catch {
    // See above.
  }
}
