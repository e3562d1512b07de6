/**
 * What has to be done again when a server has forgotten its client: the handshake, the log level, the resources watched.
 *
 * Used where a session over HTTP is lost and where a program is started again.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";

/** How a session is made again. */
export interface SessionMaker {
  call(method: string, params: JsonObject): Promise<JsonObject>;
  /** The server was sent `notifications/initialized`. */
  tellInitialized(): Promise<void>;
  /** Tells this side of something as if the server had said it. */
  announce(method: string, params?: JsonObject): void;
  report(error: unknown): void;
}

const LISTS = ["tools", "prompts", "resources"];

export class SessionMemory {
  #handshake: JsonObject = {};
  #version: unknown;
  #capabilities: JsonObject = {};
  /** Requests that made the session what it is. */
  readonly #made = new Map<string, { readonly method: string; readonly params: JsonObject }>();

  /** The handshake succeeded. */
  opened(handshake: JsonObject | undefined, { protocolVersion, capabilities }: JsonObject): void {
    this.#handshake = handshake ?? {};
    this.#version = protocolVersion;
    this.#capabilities = isJsonObject(capabilities) ? capabilities : {};
  }

  /** A request succeeded that may change what the session is. */
  note(method: string, params: JsonObject): void {
    if (method === "logging/setLevel") this.#made.set(method, { method, params });
    const { uri } = params;
    if (typeof uri !== "string") return;
    if (method === "resources/subscribe") this.#made.set(`resource ${uri}`, { method, params });
    if (method === "resources/unsubscribe") this.#made.delete(`resource ${uri}`);
  }

  /** Opens the session again, in the revision it had. @throws McpError where there is none to be had */
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

  /** Makes the session what it was, and tells of what may have been missed meanwhile. What fails is reported. */
  async remake(maker: SessionMaker): Promise<void> {
    for (const { method, params } of this.#made.values()) {
      await maker.call(method, params).catch((error: unknown) => maker.report(error));
    }
    this.announceGap(maker);
  }

  /** What may have been missed counts as having happened: lists and watched resources may be different now (I9). */
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
