/**
 * The revisions that hold every member any revision has: the last stateful one and the newest.
 * What is in them and not in a given revision must not leak onto that revision's wire.
 */
import type { Revision } from "./revision.ts";
import { revision as lastStateful } from "./v2025-11-25/shapes.ts";
import { revision as newest } from "./v2026-07-28/shapes.ts";

export const widest: readonly Revision[] = [lastStateful, newest];
