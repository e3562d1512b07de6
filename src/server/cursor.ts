/** Cursors of our own lists: the number of the last entry on the page before, in a form that invites nobody to count. */

/** Where the page after that entry starts. */
export function encodeCursor(ordinal: number): string {
  return btoa(`after:${ordinal}`);
}

/** The number in a cursor; NaN for anything that {@link encodeCursor} does not make. */
export function decodeCursor(cursor: string): number {
  try {
    return Number(/^after:(\d{1,15})$/.exec(atob(cursor))?.[1]);
  } catch {
    return Number.NaN;
  }
}
