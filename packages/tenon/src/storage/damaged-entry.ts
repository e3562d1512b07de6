/**
 * The store holds an entry that Tenon did not write, or wrote only in part: an operator or another program left it. The entry is refused by
 * name, and its text appears in no error, because it may be secret.
 */
import { jsonIn } from "../jsonrpc/parse-json.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/**
 * An entry of a store cannot be read. JSON-RPC -32603 with `data.reason` `storeDamaged`. Peers receive only that; the operator finds in `cause`
 * which entry it is. It stays until it is removed or its time is over.
 */
export class DamagedEntryError extends McpError {
  override name = "DamagedEntryError";

  /** @param what names the kind of the entry @param problem what is wrong with it, without its text */
  constructor(what: string, problem: string) {
    const cause = new Error(`${what} is damaged: it ${problem}. It is not used; remove it from the store`);
    super(ErrorCode.InternalError, "An entry of the store is damaged", { reason: "storeDamaged", delivery: "not-sent" }, { cause });
  }
}

/** The value of a JSON text of a store. Security: an error of the parser would quote the text. @throws DamagedEntryError */
export function parseStored(what: string, text: string): unknown {
  const value = jsonIn(text);
  if (value === undefined) throw new DamagedEntryError(what, "is not JSON");
  return value;
}
