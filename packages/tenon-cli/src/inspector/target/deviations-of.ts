/** Finds what of one message deviates from its revision, for the wire view. The message itself is shown as it came. */
import { LATEST_HANDSHAKE_VERSION, type JSONRPCMessage } from "tenon";
import { McpError, type Deviation } from "tenon/client";
import { codecFor, isJsonObject } from "tenon/internal";

/** Most deviations that are shown of a message. */
const SHOWN = 20;

/**
 * One sentence for each deviation; empty for a message that conforms, an error, and a method that the revision does not have.
 * @param method of the message, or of the request to which it responds
 * @param revision empty before one is agreed: then the result of the handshake names it
 */
export function deviationsOf(message: JSONRPCMessage, method: string | undefined, revision: string): readonly string[] {
  const result = "result" in message && isJsonObject(message.result) ? message.result : undefined;
  const codec = codecFor(revision === "" ? String(result?.["protocolVersion"]) : revision);
  if (codec === undefined || method === undefined) return [];
  if ("id" in message && "method" in message && isNewerQuestion(codec, method))
    return [`"${method}" is a question that revision ${codec.version} does not have`];
  const found: Deviation[] = [];
  const reading = { strict: false, deviated: (deviation: Deviation): void => void found.push(deviation) };
  try {
    if (result !== undefined) codec.decodeResult(method, result, undefined, reading);
    else if ("method" in message) codec.decodeParams(method, message.params, reading);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const data = McpError.isMcpError(error) ? error.data : undefined;
    return [typeof data === "string" ? `${error.message}: ${data}` : error.message];
  }
  const all = found.map((deviation) => deviation.message);
  return all.length <= SHOWN ? all : [...all.slice(0, SHOWN), `… and ${all.length - SHOWN} more`];
}

/** Whether only later revisions with sessions let a server ask this. */
function isNewerQuestion(codec: NonNullable<ReturnType<typeof codecFor>>, method: string): boolean {
  const isKnown = codec.stateless || codec.hasRequest(method, "server") || codec.hasRequest(method, "client");
  return !isKnown && codecFor(LATEST_HANDSHAKE_VERSION).hasRequest(method, "server");
}
