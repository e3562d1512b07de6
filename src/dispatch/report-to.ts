/** Telling the operator what went wrong outside a call. */

/** A listener that throws changes nothing (D12). */
export function reportTo(onError: ((error: Error) => void) | undefined, error: unknown): void {
  try {
    onError?.(error instanceof Error ? error : new Error(String(error)));
  } catch {
    // Nobody is left to tell.
  }
}
