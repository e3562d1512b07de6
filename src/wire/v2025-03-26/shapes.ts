/** What else 2025-03-26 changed: audio in sampling. */
import { withMore, type Dictionary, type Revision } from "../revision.ts";
import { revision as previous } from "../v2024-11-05/shapes.ts";
import { core } from "./core-shapes.ts";

const types: Dictionary = { SamplingMessageContentBlock: "= TextContent|ImageContent|AudioContent" };

export const revision: Revision = withMore(core, { previous, types });
