/** What a group tells its user: that a list, a resource or the state of a server is different now. */
import type { ListDifference } from "./catalog/catalog.ts";
import type { ServerState } from "./servers/server-status.ts";

/**
 * A change of a group, as `onChange` tells it (SG-29): told apart by `kind`. `server` is the server's name in the group; of a resource,
 * `name` is what it is called there and `uri` what its server calls it; of a server, `state` is how it is now.
 */
export type GroupChange =
  /** The maps have changed: by a server that came, went, or changed its list. Names are those in the group. */
  | ({ readonly kind: "list"; readonly server: string } & ListDifference)
  /** A resource that {@link ClientSessionGroup.subscribeResource} watches has changed, or may have while the server was away. */
  | { readonly kind: "resource"; readonly server: string; readonly name: string; readonly uri: string }
  /** A server is in another state now: see `group.servers`. */
  | { readonly kind: "server"; readonly server: string; readonly state: ServerState };
