/**
 * The codec of every revision. What tells revisions apart is data (`v…/`); in code there are two families. On stateless
 * revisions each message says itself who sent it and what it is (`envelope.ts`); on stateful ones that is known from the
 * connection, and results have no kind.
 */
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { MethodKind } from "../protocol/methods.ts";
import { isStatelessVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { CheckResult, ClientIdentity, Codec, Sender } from "./codec.ts";
import { identityIn, inEnvelope } from "./envelope.ts";
import { toStatefulCode, toStatelessCode } from "./error-codes.ts";
import { invalidParams } from "./malformed.ts";
import { RevisionMessages } from "./revision-messages.ts";
import { loadWhole, vocabulary, type Vocabulary } from "./vocabulary.ts";

export class RevisionCodec implements Codec {
  readonly version: ProtocolVersion;
  readonly stateless: boolean;
  readonly acceptsBatches: boolean;
  readonly invalidToolInput: "result" | "error";
  #vocabulary: Vocabulary | undefined;
  #compiled!: RevisionMessages;

  constructor(version: ProtocolVersion) {
    const { acceptsBatches = false, invalidToolInput = "error" } = vocabulary().revisions[version];
    this.version = version;
    this.stateless = isStatelessVersion(version);
    this.acceptsBatches = acceptsBatches;
    this.invalidToolInput = invalidToolInput;
  }

  /** Compiled anew from all shapes, once they are there. */
  get messages(): RevisionMessages {
    const current = vocabulary();
    if (current !== this.#vocabulary) {
      this.#vocabulary = current;
      this.#compiled = new RevisionMessages(this.version, current);
    }
    return this.#compiled;
  }

  prepare(method: string, params?: JsonObject): Promise<unknown> | undefined {
    return params?.["inputResponses"] !== undefined || this.messages.lacks(method) ? loadWhole() : undefined;
  }

  prepareResult(result: JsonObject): Promise<unknown> | undefined {
    return result["resultType"] === "input_required" ? loadWhole() : undefined;
  }

  hasRequest(method: string, sender: Sender): boolean {
    return this.#has("request", method, sender);
  }

  hasNotification(method: string, sender: Sender): boolean {
    return this.#has("notification", method, sender);
  }

  #has(kind: MethodKind, method: string, sender: Sender): boolean {
    const row = this.messages.methods.get(method);
    return row?.kind === kind && (row.sender === sender || row.sender === "both");
  }

  decodeParams(method: string, params: JsonObject = {}): JsonObject {
    const reading = this.messages.reading("params", method);
    const problem = reading?.check(params);
    if (problem !== undefined) throw invalidParams(problem);
    return reading?.fill?.(params) ?? params;
  }

  decodeIdentity(params: JsonObject | undefined): ClientIdentity | undefined {
    if (!this.stateless) return undefined;
    const meta = params?.["_meta"];
    const problem = this.messages.checks.type("RequestMetaObject")(meta);
    if (problem !== undefined) throw invalidParams(`._meta${problem}`);
    return identityIn(meta as JsonObject, this.version); // checked just now
  }

  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined {
    return params && this.messages.write("params", method, params);
  }

  encodeResult(method: string, result: JsonObject, server?: Implementation, checked?: CheckResult): JsonObject {
    const { messages, stateless } = this;
    const row = stateless ? messages.methods.get(method) : undefined;
    // Answers to questions are no results.
    const isAnswer = row?.kind === "input";
    const resultType = isAnswer ? "complete" : (result["resultType"] ?? "complete");
    const complete = resultType === "complete";
    if (!complete && !stateless) {
      throw new McpError(ErrorCode.InternalError, `${this.version} has no results of type ${JSON.stringify(resultType)}`);
    }
    const asks = resultType === "input_required";
    let shaped = complete ? messages.write("results", method, result) : asks ? messages.writeType("InputRequiredResult", result) : result;
    if (complete && checked) shaped = checked(messages, method, shaped);
    return isAnswer || !stateless ? shaped : inEnvelope(resultType, shaped, server, complete && row?.cacheable);
  }

  encodeError(error: McpError): ErrorData {
    const data = error.toErrorData();
    const code = this.stateless ? toStatelessCode(data.code) : toStatefulCode(this.version, data.code);
    return code === data.code ? data : { ...data, code };
  }
}
