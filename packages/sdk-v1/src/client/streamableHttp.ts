/**
 * `StreamableHTTPClientTransport` of the SDK 1.x. With a handshake everything is the original's: sessions, resumption, errors. On the newest
 * revision Tenon's HTTP client makes the calls of a `Client` of this package.
 */
import {
  StreamableHTTPClientTransport as OfficialTransport,
  type StreamableHTTPClientTransportOptions,
} from "mcp-sdk-v1/client/streamableHttp.js";
import { normalizeHeaders } from "mcp-sdk-v1/shared/transport.js";
import { type Client, connect, type ConnectOptions, type HttpServerParameters } from "tenon/client";
import { LATEST_PROTOCOL_VERSION } from "tenon/internal/embedding";
import { speaksNewest } from "../below/newest-servers.ts";
import { type AuthParts, OfficialAuth } from "../below/official-auth.ts";

export * from "mcp-sdk-v1/client/streamableHttp.js";

/** Speaks to a server at a URL. */
export class StreamableHTTPClientTransport extends OfficialTransport {
  readonly #options: StreamableHTTPClientTransportOptions;
  readonly #url: URL;

  /** @param options as the original takes them */
  constructor(url: URL, options: StreamableHTTPClientTransportOptions = {}) {
    super(url, options);
    this.#url = url;
    this.#options = options;
    speaksNewest(this, (given) => this.#openNewest(given));
  }

  async #openNewest(options: ConnectOptions): Promise<Client | undefined> {
    const { authProvider } = this.#options;
    const auth = authProvider && new OfficialAuth(this as unknown as AuthParts, authProvider); // private for the compiler only
    try {
      return await connect(this.#target(auth), { ...options, revision: LATEST_PROTOCOL_VERSION });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      if (auth?.refusal !== undefined) throw auth.refusal;
      return undefined; // what the server answers to a handshake is for the original to say
    }
  }

  #target(auth: OfficialAuth | undefined): HttpServerParameters {
    const { fetch: given, requestInit: { headers, ...init } = {} } = this.#options;
    const send = given ?? fetch;
    const isOwn = given !== undefined || Object.keys(init).length > 0;
    return {
      url: this.#url,
      headers: normalizeHeaders(headers),
      ...(isOwn && { fetch: (url, { headers: all, ...request }) => send(url, { ...init, ...request, headers: { ...all } }) }),
      ...(auth && { auth }),
    };
  }
}
