/** A request for tokens, as every grant sees it. */
import type { Client } from "./client-metadata.ts";
import type { Exchange } from "./exchange.ts";

/** What a grant is given: a request whose client is known. */
export interface TokenRequest {
  readonly client: Client;
  readonly exchange: Exchange;
  /** The thumbprint of the key the request proved to have. */
  readonly key: string | undefined;
}
