/** Cursors of our own lists: the number of the last entry on the page before, in a form that invites nobody to count. */

/** Where the page after that entry starts. */
export function encodeCursor(ordinal: number): string {
  return btoa(`after:${ordinal}`);
}

/** The number in a cursor; undefined for anything that {@link encodeCursor} does not make. */
export function decodeCursor(cursor: unknown): number | undefined {
  if (typeof cursor !== "string" || cursor.length > 64) return undefined;
  try {
    const ordinal = Number(/^after:(\d{1,15})$/.exec(atob(cursor))?.[1]);
    return Number.isSafeInteger(ordinal) ? ordinal : undefined;
  } catch {
    return undefined;
  }
}
