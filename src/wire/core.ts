/** The shapes every session needs: the handshake, tools, and notifications. */
import { resultDefaults } from "./defaults.ts";
import { rewrites } from "./rewrites.ts";
import { core as v20241105 } from "./v2024-11-05/core-shapes.ts";
import { core as v20250326 } from "./v2025-03-26/core-shapes.ts";
import { core as v20250618 } from "./v2025-06-18/core-shapes.ts";
import { core as v20251125 } from "./v2025-11-25/core-shapes.ts";
import { core as v20260728 } from "./v2026-07-28/core-shapes.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const core: Vocabulary = {
  revisions: {
    "2024-11-05": v20241105,
    "2025-03-26": v20250326,
    "2025-06-18": v20250618,
    "2025-11-25": v20251125,
    "2026-07-28": v20260728,
  },
  rewrites,
  defaults: { params: new Map(), results: resultDefaults },
};
