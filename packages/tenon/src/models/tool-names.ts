/** Names of tools that an API accepts, and the way back. Two tools never get one name. */
import { fnv1a } from "../base/hash.ts";
import type { ModelProfile } from "./schema/profile.ts";

/** The name for the API: the tool's own if it fits, else one of its letters and a hash of the whole. */
export function modelName(name: string, { names: { pattern, max } }: ModelProfile, taken: ReadonlyMap<string, unknown>): string {
  if (name.length <= max && pattern.test(name) && !taken.has(name)) return name;
  const letters = name.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  for (let basis: number | undefined; ; basis = (basis ?? 0) + 1) {
    const hash = `_${fnv1a(name, basis).toString(36).padStart(7, "0")}`;
    const fitted = letters.slice(0, max - hash.length) + hash;
    if (!taken.has(fitted)) return fitted;
  }
}
