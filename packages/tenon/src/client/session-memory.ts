/**
 * Remembers what has to be sent again when a server has lost its session: the handshake, the log level, the watched
 * resources.
 *
 * It is used if a session over HTTP is lost, and if a program is started again.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";

export interface SessionMaker {
  call(method: string, params: JsonObject): Promise<JsonObject>;
  tellInitialized(): Promise<void>;
  /** Delivers a notification to this side, as if the server had sent it. */
  announce(method: string, params?: JsonObject): void;
  report(error: unknown): void;
}

const LISTS = ["tools", "prompts", "resources"];

export class SessionMemory {
  #handshake: JsonObject = {};
  #version: unknown;
  #capabilities: JsonObject = {};
  /** Requests that set the state of the session. */
  readonly #made = new Map<string, { readonly method: string; readonly params: JsonObject }>();

  /** Remembers a handshake that succeeded. */
  opened(handshake: JsonObject | undefined, { protocolVersion, capabilities }: JsonObject): void {
    this.#handshake = handshake ?? {};
    this.#version = protocolVersion;
    this.#capabilities = isJsonObject(capabilities) ? capabilities : {};
  }

  /** Remembers a successful request if it changed the state of the session. */
  note(method: string, params: JsonObject): void {
    if (method === "logging/setLevel") this.#made.set(method, { method, params });
    const { uri } = params;
    if (typeof uri !== "string") return;
    if (method === "resources/subscribe") this.#made.set(`resource ${uri}`, { method, params });
    if (method === "resources/unsubscribe") this.#made.delete(`resource ${uri}`);
  }

  /** Opens the session again, in the same revision. @throws McpError if the server refuses */
  async restore(maker: SessionMaker): Promise<void> {
    const version = this.#version;
    const result = await maker.call("initialize", this.#handshake);
    if (result["protocolVersion"] !== version) {
      throw new ProtocolViolationError(
        `The server speaks ${String(result["protocolVersion"])} in its new session instead of ${String(version)}`,
      );
    }
    this.opened(this.#handshake, result);
    await maker.tellInitialized();
    await this.remake(maker);
  }

  /** Sends the remembered requests again, and announces what may have changed meanwhile. Failures are reported. */
  async remake(maker: SessionMaker): Promise<void> {
    for (const { method, params } of this.#made.values()) {
      await maker.call(method, params).catch((error: unknown) => maker.report(error));
    }
    this.announceGap(maker);
  }

  /** Announces that lists and watched resources may have changed, because notifications may have been missed. */
  announceGap({ announce }: Pick<SessionMaker, "announce">): void {
    for (const kind of LISTS) {
      const capability = this.#capabilities[kind];
      if (isJsonObject(capability) && capability["listChanged"] === true) announce(`notifications/${kind}/list_changed`);
    }
    for (const { method, params } of this.#made.values()) {
      if (method === "resources/subscribe") announce("notifications/resources/updated", { uri: params["uri"] });
    }
  }
}
