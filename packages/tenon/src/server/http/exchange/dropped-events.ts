/**
 * Drops log messages and old progress events if a client reads too slowly, so that its stream is not cut.
 *
 * The newest progress of each request is kept and sent later. No other message is dropped.
 */
import { isNotification, type JsonObject, type JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";

/** The key of a message that may be dropped: one for all log messages, one for the progress of each request. */
export type DropKey = string;

const LOG = "log";

/** Returns undefined for a message that must not be dropped. */
export function dropKey(method: string, params: JsonObject | undefined): DropKey | undefined {
  if (method === "notifications/message") return LOG;
  return method === "notifications/progress" ? `progress ${JSON.stringify(params?.["progressToken"])}` : undefined;
}

export function dropKeyOf(message: JSONRPCMessage): DropKey | undefined {
  return isNotification(message) ? dropKey(message.method, message.params) : undefined;
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

  /** Takes the newest progress of each request, to be sent, and a report of the dropped messages. */
  take(maxBuffered: number): { readonly latest: readonly string[]; readonly report: McpError } {
    const latest = [...this.#latest.values()];
    const omitted = this.#count - latest.length;
    this.#latest.clear();
    this.#count = 0;
    const message = `${omitted} progress or log messages were left out: the client reads too slowly (limit "limits.maxBuffered" of ${maxBuffered})`;
    return { latest, report: new McpError(ErrorCode.InternalError, message, { limit: "limits.maxBuffered", max: maxBuffered, omitted }) };
  }
}
