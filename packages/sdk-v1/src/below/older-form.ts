/** Results of the newest revision as 2025-11-25 has them. */
import type { JsonObject } from "tenon";
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
