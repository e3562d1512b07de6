/** Refuses members of a target that do not exist. Loaded with the first target that has members: a URL or a program with options. */
import { assertKnown } from "../base/known-options.ts";
import { connectOptionKeys } from "./option-keys.ts";

/**
 * Checks the members of a target. Entries of configuration files also have a `type`, which nothing needs.
 * @throws TypeError if one does not exist, or belongs to the second argument of `connect()`
 */
export function assertTarget(what: string, target: object, known: { readonly [key: string]: unknown }): void {
  const options = Object.keys(connectOptionKeys()).map((key) => [key, `It is an option of connect(): connect(target, { ${key} }).`]);
  assertKnown(what, target, { ...known, type: 1 }, Object.fromEntries(options) as { [key: string]: string });
}
