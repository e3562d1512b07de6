/** Which form of tasks a revision has. */
import type { Codec } from "../../wire/codec.ts";

/** Whether the core of that revision has tasks (2025-11-25). */
export function hasTasks(codec: Codec): boolean {
  return codec.hasRequest("tasks/result", "client");
}
