/**
 * Drops log messages and stale progress events if a client reads too slowly, so that its stream need not be cut.
 *
 * Of each request's progress the newest step is kept and sent later. No other message is ever dropped.
 */
import type { JsonObject, JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";

/** Under which key a message may be dropped: all log messages have one, and the progress of each request has one. */
export type DropKey = string;

const LOG = "log";

/** Undefined for a message that must arrive. */
export function dropKey(method: string, params: JsonObject | undefined): DropKey | undefined {
  if (method === "notifications/message") return LOG;
  return method === "notifications/progress" ? `progress ${JSON.stringify(params?.["progressToken"])}` : undefined;
}

export function dropKeyOf(message: JSONRPCMessage): DropKey | undefined {
  return "method" in message && !("id" in message) ? dropKey(message.method, message.params) : undefined;
}

export class DroppedEvents {
  readonly #latest = new Map<DropKey, string>();
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  add(key: DropKey, text: string): void {
    this.#count++;
    if (key !== LOG) this.#latest.set(key, text);
  }

  /** The newest step of each request, which is sent after all, and what the operator is told of the others. */
  take(maxBuffered: number): { readonly latest: readonly string[]; readonly report: McpError } {
    const latest = [...this.#latest.values()];
    const omitted = this.#count - latest.length;
    this.#latest.clear();
    this.#count = 0;
    const message = `${omitted} progress or log messages were left out: the client reads too slowly (limit "limits.maxBuffered" of ${maxBuffered})`;
    return { latest, report: new McpError(ErrorCode.InternalError, message, { limit: "limits.maxBuffered", max: maxBuffered, omitted }) };
  }
}
