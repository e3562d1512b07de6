/**
 * What is left out of a stream whose client reads too slowly, so that it need not be cut: log messages, and of each
 * request's progress all steps but the newest (row H15). Everything else is sent, whatever comes of it.
 */
import type { JsonObject, JSONRPCMessage } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";

/** What a message may be left out as: a log message, or a step of that request's progress. */
export type OmissionKey = string;

const LOG = "log";

/** Undefined for a message that must arrive. */
export function omissionKey(method: string, params: JsonObject | undefined): OmissionKey | undefined {
  if (method === "notifications/message") return LOG;
  return method === "notifications/progress" ? `progress ${JSON.stringify(params?.["progressToken"])}` : undefined;
}

export function omissionKeyOf(message: JSONRPCMessage): OmissionKey | undefined {
  return "method" in message && !("id" in message) ? omissionKey(message.method, message.params) : undefined;
}

export class Omissions {
  readonly #latest = new Map<OmissionKey, string>();
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  add(key: OmissionKey, text: string): void {
    this.#count++;
    if (key !== LOG) this.#latest.set(key, text);
  }

  /** The newest step of each request, which is sent after all, and what the operator is told of the others. */
  take(maxBuffered: number): { readonly latest: readonly string[]; readonly report: McpError } {
    const latest = [...this.#latest.values()];
    const omitted = this.#count - latest.length;
    this.#latest.clear();
    this.#count = 0;
    const message = `${omitted} progress or log messages were left out: the client reads too slowly (limit "maxBuffered" of ${maxBuffered})`;
    return { latest, report: new McpError(ErrorCode.InternalError, message, { limit: "maxBuffered", max: maxBuffered, omitted }) };
  }
}
