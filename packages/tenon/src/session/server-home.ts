/** What all requests of one server share, as code beside the server sees it. */
import type { SharedStores } from "../storage/shared-stores.ts";

/** The server of a request. */
export interface ServerHome {
  readonly name: string;
  /** What several processes share; undefined if the endpoint has no option `stores`. */
  readonly shared: SharedStores | undefined;
}
