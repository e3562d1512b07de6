/** Which form of tasks a revision has: the extension (2026-07-28) or the core of the protocol (2025-11-25). */
import type { Codec } from "../../../wire/codec.ts";

/** The id of the official extension (SEP-2663). */
export const EXTENSION_ID = "io.modelcontextprotocol/tasks";

/** Whether a revision has tasks in its core (2025-11-25). */
export function hasCoreTasks(codec: Codec): boolean {
  return codec.hasRequest("tasks/result", "client");
}
