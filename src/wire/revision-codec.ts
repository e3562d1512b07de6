/**
 * The codec of every revision. What tells revisions apart is data (`v….ts`); in code there are two families. On stateless
 * revisions each message says itself who sent it and what it is (`envelope.ts`); on stateful ones that is known from the
 * connection, and results have no kind.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { MethodKind } from "../protocol/methods.ts";
import { isStatelessVersion, type ProtocolVersion } from "../protocol/versions.ts";
import type { Codec, Sender } from "./codec.ts";
import { invalidParams } from "./malformed.ts";
import type { Revision } from "./revision.ts";
import { RevisionMessages } from "./revision-messages.ts";

export class RevisionCodec implements Codec {
  readonly version: ProtocolVersion;
  readonly stateless: boolean;
  readonly acceptsBatches: boolean;
  readonly invalidToolInput: "result" | "error";
  readonly messages: RevisionMessages;

  /** `widest` are revisions that hold between them every name any revision has. */
  constructor(revision: Revision, widest: readonly Revision[]) {
    const { version, acceptsBatches = false, invalidToolInput = "error" } = revision;
    this.version = version;
    this.stateless = isStatelessVersion(version);
    this.acceptsBatches = acceptsBatches;
    this.invalidToolInput = invalidToolInput;
    this.messages = new RevisionMessages(revision, widest);
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
