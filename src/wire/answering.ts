/**
 * The codec's half for whoever answers: who asks, and how results and errors are written. A client loads it with the first
 * question of its server.
 */
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { CheckResult, ClientIdentity, Codec } from "./codec.ts";
import { identityIn, inEnvelope } from "./envelope.ts";
import { toStatefulCode, toStatelessCode } from "./error-codes.ts";
import { invalidParams } from "./malformed.ts";

/**
 * Stateless revisions: who is asking, from the request's `_meta`. Stateful: undefined.
 * @throws McpError -32602 (a required key is missing or ill-typed), -32022 (version not supported)
 */
export function decodeIdentity({ messages, stateless, version }: Codec, params: JsonObject | undefined): ClientIdentity | undefined {
  if (!stateless) return undefined;
  const meta = params?.["_meta"];
  const problem = messages.checks.type("RequestMetaObject")(meta);
  if (problem !== undefined) throw invalidParams(`._meta${problem}`);
  return identityIn(meta as JsonObject, version); // checked just now
}

/**
 * Shapes a result that leaves: members of other revisions are left out, required ones are added. With `server`, who
 * answers, it is to be written or copied and not to be read (`HeadedResult`). With `checked`, a complete result is only what
 * a peer can read (`readable.ts`).
 * @throws McpError -32603 where the revision has no such results, and what `checked` throws
 */
export function encodeResult(
  { messages, stateless, version }: Codec,
  method: string,
  result: JsonObject,
  server?: Implementation,
  checked?: CheckResult,
): JsonObject {
  const row = stateless ? messages.methods.get(method) : undefined;
  // Answers to questions are no results.
  const isAnswer = row?.kind === "input";
  const resultType = isAnswer ? "complete" : (result["resultType"] ?? "complete");
  const complete = resultType === "complete";
  if (!complete && !stateless) {
    throw new McpError(ErrorCode.InternalError, `${version} has no results of type ${JSON.stringify(resultType)}`);
  }
  const asks = resultType === "input_required";
  let shaped = complete ? messages.write("results", method, result) : asks ? messages.writeType("InputRequiredResult", result) : result;
  if (complete && checked) shaped = checked(messages, method, shaped);
  return isAnswer || !stateless ? shaped : inEnvelope(resultType, shaped, server, complete && row?.cacheable);
}

/** The error object this revision uses for a failure: codes of other revisions never leak. */
export function encodeError({ stateless, version }: Codec, error: McpError): ErrorData {
  const data = error.toErrorData();
  const code = stateless ? toStatelessCode(data.code) : toStatefulCode(version, data.code);
  return code === data.code ? data : { ...data, code };
}
