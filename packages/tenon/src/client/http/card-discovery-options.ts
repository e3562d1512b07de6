/** The option `discover` of `connect()`. */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** A server that was found by its card. Security: nothing of it is verified. */
export interface DiscoveredCard {
  /** The name in the card, such as `"com.example/weather"`. */
  readonly name: string;
  /** The endpoint that the client would connect to. */
  readonly url: URL;
  /** Where the card is; undefined if it stands in the catalog. */
  readonly cardUrl: URL | undefined;
  /** The card as the server sent it. */
  readonly card: JsonObject;
}

/** How a client finds the endpoint of a domain. */
export interface CardDiscoveryOptions {
  /**
   * Whether the client may connect to an endpoint at another origin, or one whose card is at another origin. `headers` and `auth` are not
   * sent there. Security: a catalog can name any server. Default: never.
   */
  allow?: (card: DiscoveredCard) => boolean;
}
