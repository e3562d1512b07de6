/** Where a guard stands in the source: see `places.mjs`. */
export function placesOf(root: string, guard: { readonly folder: string; readonly find: string }): readonly string[];
/** Why a file is no program without a guard, or undefined: see `places.mjs`. */
export function brokenWithout(
  root: string,
  guard: { readonly folder: string; readonly find: string; readonly replace: string },
): string | undefined;
