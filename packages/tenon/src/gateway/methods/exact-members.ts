/**
 * Members of params that differ from known ones by case only.
 *
 * A server that ignores case reads `Name` as `name`, so it would run another tool than the one that the policy has seen. Unknown members
 * pass otherwise.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";

const KNOWN = [
  ...["_meta", "name", "arguments", "uri", "ref", "argument", "context", "cursor", "level", "task", "taskId"],
  ...["inputResponses", "requestState", "notifications", "protocolVersion", "capabilities", "clientInfo"],
];
const EXACT: ReadonlySet<string> = new Set(KNOWN);
const FOLDED: ReadonlyMap<string, string> = new Map(KNOWN.map((name) => [fold(name), name]));

/** Upper case first: the letters U+017F and U+212A become S and K there, as for readers that fold case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** @throws McpError -32602 that names the member. What is completed is named in an object of its own, `ref` */
export function assertExactMembers(params: JsonObject): void {
  assertExact(params);
  if (isJsonObject(params["ref"])) assertExact(params["ref"]);
}

function assertExact(params: JsonObject): void {
  for (const key of Object.keys(params)) {
    if (EXACT.has(key)) continue;
    const known = FOLDED.get(fold(key.normalize("NFKC")));
    if (known === undefined) continue;
    throw new McpError(ErrorCode.InvalidParams, `The member ${JSON.stringify(key)} of the params differs from "${known}" by case only`, {
      member: key,
    });
  }
}
