/** What a user left out of an accepted form is what the form proposed (SEP-1034). */
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { ElicitRequestParams, ElicitResult } from "../../protocol/elicitation.ts";

/** The same answer where nothing is to be added. What is no answer at all is left for the check that follows. */
export function withDefaults(asked: ElicitRequestParams, answer: ElicitResult): ElicitResult {
  if (!isJsonObject(answer) || answer.action !== "accept" || asked.mode === "url") return answer;
  if (answer.content !== undefined && !isJsonObject(answer.content)) return answer;
  const content = { ...answer.content };
  let added = false;
  for (const [name, field] of Object.entries(asked.requestedSchema.properties)) {
    if (field.default === undefined || Object.hasOwn(content, name)) continue;
    content[name] = field.default;
    added = true;
  }
  return added ? { ...answer, content } : answer;
}
