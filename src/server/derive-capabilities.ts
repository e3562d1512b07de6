/** What a server can do, as follows from what is registered. */
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { Features } from "./features.ts";

/** `declared` adds to what is derived, and can declare a feature that has nothing registered yet. */
export function deriveCapabilities(
  { tools, resources, templates, prompts }: Features,
  logging: boolean,
  declared: ServerCapabilities,
): ServerCapabilities {
  const listed = { listChanged: true };
  const completes = [...templates.entries, ...prompts.entries].some(({ definition }) => definition.options.complete);
  return {
    ...declared,
    ...(tools.used && { tools: { ...listed, ...declared.tools } }),
    ...((resources.used || templates.used) && { resources: { subscribe: true, ...listed, ...declared.resources } }),
    ...(prompts.used && { prompts: { ...listed, ...declared.prompts } }),
    ...(completes && { completions: declared.completions ?? {} }),
    ...(logging && { logging: declared.logging ?? {} }),
  };
}
