// The subpaths of a package that users may import: its documentation has them, and a change of their names counts.

/** What only the other packages of this repository import. */
const INTERNAL = ["./internal", "./internal/embedding"];

/** The entries of a manifest's `exports` that are modules for users, as pairs of subpath and target. */
export function publicEntries(exports = {}) {
  return Object.entries(exports).filter(
    ([subpath, target]) => typeof target === "object" && target !== null && !INTERNAL.includes(subpath),
  );
}
