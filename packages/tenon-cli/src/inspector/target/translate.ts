/** Shows a message as another revision writes it: decoded by the codec of its own revision, encoded by the other one. */
import { codecFor, isJsonObject, stringifyMessage } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { WireEntry } from "../entries.ts";
import { OperationError } from "./failure.ts";

/** The message as JSON. @throws OperationError, McpError if one of the revisions cannot express it */
export function translate({ sent, type, method, revision }: WireEntry, text: string, to: string): string {
  const [from, into] = [codecFor(revision), codecFor(to)];
  if (from === undefined || into === undefined) throw new OperationError("Only messages of a known revision can be translated");
  if (method === undefined || type === "error" || type === "malformed")
    throw new OperationError("Only requests, notifications and results differ");
  const message = JSON.parse(text) as JsonObject;
  const [params, result] = [message["params"], message["result"]];
  if (type === "result") {
    const neutral = from.decodeResult(method, isJsonObject(result) ? result : {});
    return JSON.stringify({ ...message, result: plain(into.encodeResult(method, neutral)) });
  }
  const members = isJsonObject(params) ? params : undefined;
  const sender = sent ? "client" : "server";
  const exists = type === "request" ? into.hasRequest(method, sender) : into.hasNotification(method, sender);
  if (!exists) throw new OperationError(`${to} has no ${method} from the ${sender}`);
  const neutral = from.decodeParams(method, members);
  const identity = from.decodeIdentity(members) ?? { capabilities: {} };
  const encoded = type === "request" ? into.encodeRequest(method, neutral, identity) : into.encodeParams(method, neutral);
  return JSON.stringify({ ...message, ...(encoded !== undefined && { params: encoded }) });
}

/** A result that the codec has marked as ready to be written is read back. */
function plain(result: JsonObject): JsonObject {
  return (JSON.parse(stringifyMessage({ jsonrpc: "2.0", id: 0, result })) as { result: JsonObject }).result;
}
