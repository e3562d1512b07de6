/** All shapes: to those of every session, resources, prompts, completion, subscriptions, tasks, and what a server asks. Loaded late. */
import { askingDefaults, readQuestions } from "./questions.ts";
import { askingRewrites } from "./asking-rewrites.ts";
import { core } from "./core.ts";
import { revision as v20241105 } from "./v2024-11-05/shapes.ts";
import { revision as v20250326 } from "./v2025-03-26/shapes.ts";
import { revision as v20250618 } from "./v2025-06-18/shapes.ts";
import { revision as v20251125 } from "./v2025-11-25/shapes.ts";
import { revision as v20260728 } from "./v2026-07-28/shapes.ts";
import type { Vocabulary } from "./vocabulary.ts";

export const whole: Vocabulary = {
  ...core,
  revisions: {
    "2024-11-05": v20241105,
    "2025-03-26": v20250326,
    "2025-06-18": v20250618,
    "2025-11-25": v20251125,
    "2026-07-28": v20260728,
  },
  rewrites: { ...core.rewrites, ...askingRewrites },
  defaults: { ...core.defaults, params: askingDefaults },
  readQuestions,
};
