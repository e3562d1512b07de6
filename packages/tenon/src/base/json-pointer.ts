/** JSON pointers (RFC 6901), as a `$ref` has them behind `#`: their steps, and the values that they lead to. */
import { percentDecoded } from "./bytes.ts";

export function pointerStep(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The names of members and items in a pointer, or in a reference such as `#/$defs/City`. A step with a wrong escape means itself. */
export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => (percentDecoded(step) ?? step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value that a pointer leads to; undefined if there is none. Only own members and items count. */
export function atPointer(root: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || (Array.isArray(value) && !/^\d+$/.test(key))) return undefined;
    return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }, root);
}

/** What a reference such as `#/$defs/City` leads to in its own document; undefined if nothing is there. Anchors are not followed. */
export function targetOf(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) return undefined;
  return atPointer(root, reference);
}
