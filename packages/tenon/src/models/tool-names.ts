/** Names of tools that an API accepts, and the way back. Two tools never get one name. */
import { hashedKey } from "../base/argument-keys.ts";
import type { ModelProfile } from "./schema/profile.ts";

/** The name for the API: the tool's own if it fits, else one of its letters and a hash of the whole. */
export function modelName(name: string, { names: { pattern, max } }: ModelProfile, taken: ReadonlyMap<string, unknown>): string {
  if (name.length <= max && pattern.test(name) && !taken.has(name)) return name;
  const letters = name.replace(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  return hashedKey(name, letters, max, (key) => taken.has(key));
}
