/**
 * Finds older versions of tools and prompts. Servers list the newest version only, and call the others `search.v1`; a group finds them by
 * its name of the newest. Whether there is such a version, only the server knows: early revisions do not say it in lists.
 */
import type { FoundComponent } from "./catalog.ts";

/** A name and a version. The version has 1 to 64 characters, and can have the mark `.v` in it. */
const VERSIONED = /^(?<name>.+?)\.v[A-Za-z0-9_.-]{1,64}$/s;

/**
 * Finds the version that a name such as `shop__search.v1` is for.
 * @param find finds a listed component by its name in the group
 * @returns the listed component under the name that its server knows the version by
 */
export function olderVersion<Found extends FoundComponent<unknown, "tool" | "prompt">>(
  name: string,
  find: (name: string) => Found | undefined,
): Found | undefined {
  const listed = VERSIONED.exec(name)?.groups?.["name"];
  const found = listed === undefined ? undefined : find(listed);
  return found && { ...found, component: { ...found.component, name: found.component.name + name.slice(listed!.length) } };
}
