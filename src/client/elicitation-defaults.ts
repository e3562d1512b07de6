/** What a user left out of an accepted form is what the form proposed (SEP-1034). */
import type { ElicitRequestParams, ElicitResult } from "../protocol/elicitation.ts";

/** The same answer where nothing is to be added. */
export function withDefaults(asked: ElicitRequestParams, answer: ElicitResult): ElicitResult {
  if (answer.action !== "accept" || asked.mode === "url") return answer;
  const content = { ...answer.content };
  let added = false;
  for (const [name, field] of Object.entries(asked.requestedSchema.properties)) {
    if (field.default === undefined || Object.hasOwn(content, name)) continue;
    content[name] = field.default;
    added = true;
  }
  return added ? { ...answer, content } : answer;
}
