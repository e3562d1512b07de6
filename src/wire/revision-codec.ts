/**
 * The codec of every revision. What tells revisions apart is data (`v…/`); in code there are two families. On stateless
 * revisions each message says itself who sent it and what it is (`envelope.ts`); on stateful ones that is known from the
 * connection, and results have no kind.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { MethodKind } from "../protocol/methods.ts";
import { isStatelessVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec, Sender } from "./codec.ts";
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

  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined {
    return params && this.messages.write("params", method, params);
  }
}
