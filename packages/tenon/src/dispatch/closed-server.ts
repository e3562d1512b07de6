/**
 * The refusal of a server or a gateway that was closed. It says what closed it, because `await using` at the top of a module closes
 * what it declares as soon as the module has run, while an endpoint still listens.
 */
import { McpUsageError } from "../jsonrpc/mcp-error.ts";

/** What closed a server: a call of `close()`, or the end of the block or file that declares it with `await using`. */
export type ClosedBy = "close()" | "await using";

/** A connection was refused, because the server was closed. */
export class ClosedServerError extends McpUsageError {
  constructor(what: "server" | "gateway", by: ClosedBy) {
    super(`This ${what} is closed: ${howItWasClosed(by)}`);
  }
}

/** Ends the sentence "… is closed: …". */
export function howItWasClosed(by: ClosedBy): string {
  if (by === "close()") return "close() was called";
  return '"await using" closes it at the end of the block or file that declares it. Declare it with "const" if it is used for longer';
}
