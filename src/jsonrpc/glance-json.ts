/**
 * A glance at JSON text nobody has checked yet: most messages are so small that counting two characters shows that no
 * limit of their shape can be exceeded. Others are looked at by `scan-json.ts`, several times as slowly.
 */
import type { JsonLimits } from "./json-limits.ts";

/**
 * How many object members `text` has at most (its colons, those inside strings included), where that many keep all limits
 * on what it holds. Undefined where it takes a closer look.
 */
export function membersAtMost(text: string, { depth, nodes, numberLength }: JsonLimits): number | undefined {
  if (text.length > nodes) return undefined;
  let colons = 0;
  let last = -1;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    // No number goes across a colon, so one that is too long needs that much room.
    if (at - last > numberLength || ++colons >= depth) return undefined;
    last = at;
  }
  if (text.length - last > numberLength) return undefined;
  // What a container holds is inside brackets of its own, or comes after a colon.
  let levels = colons + 1;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) if (++levels > depth) return undefined;
  return colons;
}
