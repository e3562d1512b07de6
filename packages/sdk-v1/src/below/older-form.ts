/** Results and capabilities of the newest revision as 2025-11-25 has them. */
import type { JsonObject, ServerCapabilities } from "tenon";
import { isJsonObject, SERVER_INFO_KEY } from "tenon/internal/embedding";

/** Members of results that only the newest revision has. They concern the client below. */
const NEWEST_MEMBERS = ["resultType", "ttlMs", "cacheScope"];

const without = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

/** The result without what only the newest revision has. */
export function olderForm({ _meta, ...result }: JsonObject): JsonObject {
  const meta = isJsonObject(_meta) ? without(_meta, [SERVER_INFO_KEY]) : {};
  return { ...without(result, NEWEST_MEMBERS), ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

/** The extension of the newest revision for tasks, which are a capability of 2025-11-25. */
export const TASKS = "io.modelcontextprotocol/tasks";

export const hasTasks = ({ extensions }: ServerCapabilities): boolean => extensions?.[TASKS] !== undefined;

/** The capabilities, with tasks as 2025-11-25 declares them. */
export function olderCapabilities(capabilities: ServerCapabilities): JsonObject {
  return { ...capabilities, ...(hasTasks(capabilities) && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }) };
}
