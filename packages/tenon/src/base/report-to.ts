/** Reports errors that happen outside a call to the operator. */

/** Calls `onError` with `error`. An error that the listener throws is ignored: no other listener is left to report it to. */
export function reportTo(onError: ((error: Error) => void) | undefined, error: unknown): void {
  try {
    onError?.(error instanceof Error ? error : new Error(String(error)));
  } catch {
    // ignored: see above
  }
}
