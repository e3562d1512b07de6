/**
 * Joins an official `Client` with the Tenon client below it, on revisions without a handshake: what the official one takes for its transport.
 *
 * The official client speaks 2025-11-25 to it. What 2026-07-28 has in another form is changed here: the handshake, `ping`, the log level,
 * subscriptions, and questions of the server, which come in results.
 */
import type { Transport } from "mcp-sdk-v1/shared/transport.js";
import {
  type InitializeResult,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  LATEST_PROTOCOL_VERSION,
  type RequestId,
} from "mcp-sdk-v1/types.js";
import type { JsonObject } from "tenon";
import { AuthorizationError } from "tenon/auth";
import { type Client, type ConnectOptions, InputRequiredError, type ToolCallOptions } from "tenon/client";
import type { Extension } from "tenon/ext";
import type { OfficialClientParts } from "./client-parts.ts";
import { ClientQuestions } from "./client-questions.ts";
import { ClientTasks } from "./client-tasks.ts";
import { errorObjectOf, isProtocolError } from "./error-object.ts";
import { hasTasks, olderCapabilities, olderForm, TASKS } from "./older-form.ts";
import type { OpenNewest } from "./newest-servers.ts";
import { Watching } from "./watching.ts";

/** The client below, connected. */
interface Opened {
  readonly client: Client;
  readonly watching: Watching;
  readonly tasks: ClientTasks;
}

export class ClientBridge implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The transport that the owner of the client has connected. */
  readonly owner: Transport;
  readonly #official: OfficialClientParts;
  readonly #questions: ClientQuestions;
  readonly #calls = new Map<RequestId, AbortController>();
  #opened: Opened | undefined;
  #hasLogLevel = false;

  constructor(official: OfficialClientParts, owner: Transport) {
    this.#official = official;
    this.owner = owner;
    this.#questions = new ClientQuestions(official);
  }

  /** Connects on the newest revision. Resolves with false if the server does not speak it. */
  async open(open: OpenNewest, signal: AbortSignal | undefined): Promise<boolean> {
    const extensions = await extensionsOf(this.#official);
    const client = await open({ ...this.#options(), extensions, ...(signal && { signal }) });
    if (client === undefined) return false;
    const watching = new Watching(client, this.#official, (error) => this.onerror?.(error));
    this.#opened = { client, watching, tasks: new ClientTasks(client) };
    return true;
  }

  #options(): ConnectOptions {
    return {
      clientInfo: this.#official._clientInfo as NonNullable<ConnectOptions["clientInfo"]>, // the same, with lists that are read-only
      discover: false,
      onError: (error) => this.onerror?.(error),
      onMessage: ({ method, params }) => {
        if (method !== "notifications/progress") this.onmessage?.({ jsonrpc: "2.0", method, params });
      },
      ...this.#questions.options(),
    };
  }

  /** The client below. */
  get tenon(): Client {
    return this.#open.client;
  }

  /** Whether each call may become a task, because the server has the extension for tasks. */
  get hasTasks(): boolean {
    return hasTasks(this.tenon.serverCapabilities);
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw new Error("Not connected");
    return this.#opened;
  }

  start(): Promise<void> {
    void this.tenon.closed.then(() => this.onclose?.());
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.tenon.close();
    await this.owner.close();
  }

  setProtocolVersion(): void {
    this.owner.setProtocolVersion?.(this.tenon.protocolVersion);
  }

  /** Watches the lists for whose changes the official client has handlers now. Resolves when the server watches. */
  watchLists(): Promise<void> {
    return this.#open.watching.lists();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("method" in message)) return this.#questions.answered(message);
    if (!("id" in message)) return this.#notify(message);
    const { id } = message;
    this.#request(message).then(
      (result) => this.#respond({ jsonrpc: "2.0", id, result }),
      (error: unknown) => this.#fail(id, error),
    );
  }

  #notify({ method, params }: JSONRPCNotification): void | Promise<void> {
    if (method === "notifications/initialized") return undefined;
    if (method === "notifications/cancelled") return this.#calls.get(params?.["requestId"] as RequestId)?.abort(params?.["reason"]);
    return this.tenon.notify(method, params);
  }

  async #request(request: JSONRPCRequest): Promise<JsonObject> {
    const { method, params = {} } = request;
    const { watching, tasks } = this.#open;
    if (method === "initialize") return this.#initializeResult();
    if (method === "logging/setLevel") return this.#setLevel(params["level"] as "info"); // the official schema says so
    if (method === "resources/subscribe") return watching.resource(String(params["uri"]));
    if (method === "resources/unsubscribe") return watching.leave(String(params["uri"]));
    if (method === "ping") return this.tenon.request("server/discover").then(() => ({}));
    // Servers of 1.x log without being asked to, and servers of the newest revision do not.
    if (!this.#hasLogLevel && this.#official._notificationHandlers.has("notifications/message")) await this.#setLevel("debug");
    const { task, ...own } = params;
    if (method !== "tools/call" || task === undefined) return tasks.answer(method, String(params["taskId"])) ?? this.#call(request);
    return tasks.begin((onTask) => this.#call({ ...request, params: own }, { onTask }));
  }

  async #call({ id, method, params = {} }: JSONRPCRequest, options: ToolCallOptions = {}): Promise<JsonObject> {
    const { _meta, ...own } = params;
    const { progressToken, ...meta } = _meta ?? {};
    const abort = new AbortController();
    this.#calls.set(id, abort);
    try {
      const result = await this.tenon.request(method, own, {
        timeout: Infinity, // the official client keeps the time
        maxTotalTimeout: Infinity,
        signal: abort.signal,
        meta,
        ...options,
        ...(progressToken !== undefined && {
          onProgress: (progress) =>
            this.onmessage?.({ jsonrpc: "2.0", method: "notifications/progress", params: { ...progress, progressToken } }),
        }),
      });
      return olderForm(result);
    } finally {
      this.#calls.delete(id);
    }
  }

  #initializeResult(): JsonObject {
    const { serverCapabilities, serverInfo = { name: "unknown", version: "0" }, instructions } = this.tenon;
    const result = {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities: olderCapabilities(serverCapabilities),
      serverInfo,
      ...(instructions !== undefined && { instructions }),
    };
    return result satisfies { [name in keyof InitializeResult]?: unknown };
  }

  async #setLevel(level: "debug" | "info"): Promise<JsonObject> {
    this.#hasLogLevel = true;
    await this.tenon.setLoggingLevel(level);
    return {};
  }

  /** The caller does not wait for the response of a call that it cancelled. */
  #respond(response: JSONRPCResultResponse | JSONRPCErrorResponse): void {
    if (this.#official._responseHandlers.has(response.id ?? "")) this.onmessage?.(response);
  }

  /** An error of the server is a response; any other, such as a refused authorization, is thrown unchanged. */
  #fail(id: RequestId, failure: unknown): void {
    const hasReason = failure instanceof InputRequiredError || failure instanceof AuthorizationError;
    const error = hasReason ? (failure.cause ?? failure) : failure; // why a question, or a challenge, was not answered
    if (!(error instanceof Error) || isProtocolError(error)) return this.#respond({ jsonrpc: "2.0", id, error: errorObjectOf(error) });
    const handler = this.#official._responseHandlers.get(id);
    this.#official._responseHandlers.delete(id);
    this.#official._progressHandlers.delete(id);
    this.#official._cleanupTimeout(id);
    handler?.(error);
  }
}

/** The extensions that the official client declares, and tasks. Loaded with the first such connection. */
async function extensionsOf({ _capabilities: { extensions = {} } }: OfficialClientParts): Promise<Extension[]> {
  const [{ tasks }, { defineExtension }] = await Promise.all([import("tenon/ext/tasks"), import("tenon/ext")]);
  const own = Object.entries(extensions).filter(([id]) => id !== TASKS);
  return [tasks(), ...own.map(([id, settings]) => defineExtension({ id, settings: { ...settings } }))];
}
