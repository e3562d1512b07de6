/** The findings of `tenon check` as the page of `tenon inspect` and `tenon dev` shows them. */
import type { JsonObject, Tool } from "tenon";
import { isJsonObject } from "tenon/internal";
import type { Mark } from "../inspector/entries.ts";
import { lint } from "./lint.ts";
import { RULES } from "./rules.ts";

/** Most marks of a list. */
const MAX_MARKS = 500;

/** What hosts or models stumble over in the tools of a server. */
export function marksOf(tools: readonly JsonObject[]): readonly Mark[] {
  // The codec has read them; one without a schema is left out.
  const read = tools.filter(({ inputSchema }) => isJsonObject(inputSchema)) as unknown as readonly Tool[];
  const found = lint({ tools: read });
  return found.slice(0, MAX_MARKS).map(({ rule, level, where, message, tool }) => {
    const { explain = "" } = RULES.find(({ id }) => id === rule) ?? {};
    return { rule, level, where, message, explain, ...(tool !== undefined && { tool }) };
  });
}
