/**
 * About how many tokens a model reads for a text: four characters each.
 *
 * Each model counts in its own way. The estimate compares texts and warns early; it is no bill.
 */

const CHARACTERS = 4;

/** The tokens of a text, or of the JSON of any other value. */
export function estimateTokens(value: unknown): number {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return Math.ceil(text.length / CHARACTERS);
}

/** What a host sends a model of a tool. Annotations, icons and output schemas do not reach it. */
interface ShownTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

export function estimateToolTokens({ name, description, inputSchema }: ShownTool): number {
  return estimateTokens({ name, description, inputSchema });
}
