/** Where a guard stands in the source: see `places.mjs`. */
export function placesOf(root: string, guard: { readonly folder: string; readonly find: string }): readonly string[];
