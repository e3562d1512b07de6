/** Who asks: what a rule of visibility can read of a request, of an open connection and of a stream of changes. */
import type { AuthInfo } from "../auth/resource-server/auth-info.ts";
import type { TransportContext } from "../transport/transport-context.ts";
import type { ClientIdentity } from "../wire/codec.ts";

/** Who asks. The context of a request has all of it, and so have open connections and streams of changes. */
export interface Caller {
  /** The authenticated client, as one string; undefined without authentication. */
  readonly principal?: string | undefined;
  /** What the endpoint's `auth` verified; undefined without it, as on stdio and in process. */
  readonly auth?: AuthInfo | undefined;
  /** The client's identity and capabilities. Security: the client states them itself; base no decision on them. */
  readonly client: ClientIdentity;
  /** The transport: its `kind` is `"stdio"`, `"http"`, `"direct"` and so on. */
  readonly transport: Pick<TransportContext, "kind">;
  /** What the server's `lifespan` opened. */
  readonly lifespan: unknown;
}

/**
 * Whether a caller may know of a feature. It must return at once, and without side effects: it runs for every list and every call. If it
 * throws, or returns something else than true or false, the feature is not visible and `onError` is called.
 */
export type Visible = (caller: Caller) => boolean;
