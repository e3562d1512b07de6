/**
 * The codec of the revisions without connection state: each request says in `_meta` which revision it is written in,
 * what the client can do and who it is; each result says what kind it is and who answered.
 */
import { ErrorCode, type ErrorData, type McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../protocol/capabilities.ts";
import { UnsupportedVersionError } from "../protocol/errors.ts";
import type { LoggingLevel } from "../protocol/logging.ts";
import { CLIENT_CAPABILITIES_KEY, CLIENT_INFO_KEY, LOG_LEVEL_KEY, PROTOCOL_VERSION_KEY, SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import { STATELESS_VERSIONS, type StatelessVersion } from "../protocol/versions.ts";
import type { ClientIdentity, Codec, Sender } from "./codec.ts";
import { fillQuestion } from "./defaults.ts";
import { invalidParams, malformedResult, RevisionMessages } from "./revision-messages.ts";
import type { Revision } from "./revision.ts";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export class StatelessCodec implements Codec {
  readonly version: StatelessVersion;
  readonly stateless = true;
  readonly acceptsBatches = false;
  readonly invalidToolInput = "result";
  readonly #messages: RevisionMessages;
  /** `_meta` as each client, and each server, sends it: the same object every time. */
  readonly #clientMeta = new WeakMap<ClientIdentity, JsonObject>();
  readonly #serverMeta = new WeakMap<Implementation, JsonObject>();

  constructor(revision: Revision<StatelessVersion>) {
    this.version = revision.version;
    this.#messages = new RevisionMessages(revision);
  }

  hasRequest(method: string, sender: Sender): boolean {
    return this.#messages.has("request", method, sender);
  }

  hasNotification(method: string, sender: Sender): boolean {
    return this.#messages.has("notification", method, sender);
  }

  decodeParams(method: string, params: JsonObject | undefined): JsonObject {
    return this.#messages.decodeParams(method, params);
  }

  decodeIdentity(params: JsonObject | undefined): ClientIdentity {
    const meta = params?.["_meta"];
    const problem = this.#messages.explain("RequestMetaObject", meta);
    if (problem !== undefined) throw invalidParams(`._meta${problem}`);
    // Checked just now.
    const checked = meta as JsonObject;
    const requested = checked[PROTOCOL_VERSION_KEY] as string;
    if (requested !== this.version) throw new UnsupportedVersionError(STATELESS_VERSIONS, requested);
    const identity: Mutable<ClientIdentity> = { capabilities: checked[CLIENT_CAPABILITIES_KEY] as ClientCapabilities };
    const info = checked[CLIENT_INFO_KEY] as Implementation | undefined;
    const logLevel = checked[LOG_LEVEL_KEY] as LoggingLevel | undefined;
    if (info) identity.info = info;
    if (logLevel) identity.logLevel = logLevel;
    return identity;
  }

  encodeParams(method: string, params: JsonObject | undefined, from?: ClientIdentity): JsonObject | undefined {
    const shaped = params && this.#messages.encodeParams(method, params);
    if (!from || method.startsWith("notifications/")) return shaped;
    const meta = this.#metaFrom(from);
    // A member added after a spread costs many times one that stands before it.
    const encoded: JsonObject = { _meta: meta, ...shaped };
    if (encoded["_meta"] !== meta) encoded["_meta"] = isJsonObject(encoded["_meta"]) ? { ...meta, ...encoded["_meta"] } : meta;
    return encoded;
  }

  #metaFrom(client: ClientIdentity): JsonObject {
    let meta = this.#clientMeta.get(client);
    if (!meta) {
      meta = { [PROTOCOL_VERSION_KEY]: this.version, [CLIENT_CAPABILITIES_KEY]: this.encodeClientCapabilities(client.capabilities) };
      if (client.info) meta[CLIENT_INFO_KEY] = client.info;
      if (client.logLevel) meta[LOG_LEVEL_KEY] = client.logLevel;
      this.#clientMeta.set(client, meta);
    }
    return meta;
  }

  encodeResult(method: string, result: JsonObject, server?: Implementation): JsonObject {
    const row = this.#messages.methods.get(method);
    // Answers to questions are no results.
    if (row?.kind === "input") return this.#messages.encodeResult(method, result);
    const resultType = result["resultType"] ?? "complete";
    const complete = resultType === "complete";
    const shaped = complete ? this.#messages.encodeResult(method, result) : this.#encodeQuestions(resultType, result);
    const encoded: JsonObject = { resultType, ...shaped };
    if (server) encoded["_meta"] = this.#metaOf(server, shaped["_meta"]);
    if (complete && row?.cacheable) {
      encoded["ttlMs"] ??= 0;
      encoded["cacheScope"] ??= "private";
    }
    return encoded;
  }

  #encodeQuestions(resultType: unknown, result: JsonObject): JsonObject {
    return resultType === "input_required" ? this.#messages.encodeType("InputRequiredResult", result) : result;
  }

  #metaOf(server: Implementation, own: unknown): JsonObject {
    let meta = this.#serverMeta.get(server);
    if (!meta) this.#serverMeta.set(server, (meta = { [SERVER_INFO_KEY]: server }));
    return isJsonObject(own) ? { ...meta, ...own } : meta;
  }

  decodeResult(method: string, result: JsonObject, extensionTypes?: ReadonlySet<string>): JsonObject {
    const row = this.#messages.methods.get(method);
    const type = row?.kind === "input" ? "complete" : (result["resultType"] ?? "complete");
    if (type === "complete") this.#messages.checkResult(method, result);
    else if (type === "input_required" && row?.mayAsk) return this.#decodeQuestions(method, result);
    else if (typeof type !== "string" || !extensionTypes?.has(type)) {
      throw malformedResult(method, `.resultType ${JSON.stringify(type)} is not one this request can have`);
    }
    return result;
  }

  #decodeQuestions(method: string, result: JsonObject): JsonObject {
    let problem = this.#messages.explain("InputRequiredResult", result);
    if (result["inputRequests"] === undefined && result["requestState"] === undefined) {
      problem ??= " has neither inputRequests nor requestState";
    }
    if (problem !== undefined) throw malformedResult(method, problem);
    const questions = result["inputRequests"];
    if (!isJsonObject(questions)) return result;
    return {
      ...result,
      inputRequests: Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, fillQuestion(question)])),
    };
  }

  encodeError(error: McpError): ErrorData {
    const data = error.toErrorData();
    const code = toStatelessCode(data.code);
    return code === data.code ? data : { ...data, code };
  }

  encodeClientCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
    return this.#messages.encodeType("ClientCapabilities", capabilities);
  }

  encodeServerCapabilities(capabilities: ServerCapabilities): ServerCapabilities {
    return this.#messages.encodeType("ServerCapabilities", capabilities);
  }

  encodeImplementation(info: Implementation): Implementation {
    return this.#messages.encodeType("Implementation", info);
  }
}

/** Nothing from -32099 to -32000 may be sent but what the revision defines there. */
function toStatelessCode(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return ErrorCode.InvalidParams;
  const reserved = code >= -32099 && code <= -32000;
  const defined = code <= ErrorCode.HeaderMismatch && code >= ErrorCode.UnsupportedProtocolVersion;
  return reserved && !defined ? ErrorCode.InternalError : code;
}
