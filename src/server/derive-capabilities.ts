/** What a server can do, as follows from what is registered. */
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { Prompts } from "./prompts.ts";
import type { Resources } from "./resources.ts";
import type { Tools } from "./tools.ts";

export interface Offers {
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/** `declared` adds to what is derived, and can declare a feature that has nothing registered yet. */
export function deriveCapabilities(
  { tools, resources, prompts }: Offers,
  logging: boolean,
  declared: ServerCapabilities,
): ServerCapabilities {
  const derived: ServerCapabilities = { ...declared };
  if (tools.used) derived.tools = { listChanged: true, ...declared.tools };
  if (resources.used) derived.resources = { subscribe: true, listChanged: true, ...declared.resources };
  if (prompts.used) derived.prompts = { listChanged: true, ...declared.prompts };
  if (resources.hasCompleters || prompts.hasCompleters) derived.completions = { ...declared.completions };
  if (logging) derived.logging = { ...declared.logging };
  return derived;
}
