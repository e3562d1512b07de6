/** Where an endpoint finds its sessions: in this process (`session-table.ts`), or in the stores that all nodes share (`nodes/`). */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Session } from "./session.ts";

export interface SessionDirectory {
  /** The session of a client; undefined if it does not exist for that client. @throws StoreUnavailableError */
  find(id: string, client: HttpRequest): MaybePromise<Session | undefined>;
  /** Opens a session, or refuses one more. @throws StoreUnavailableError */
  open(client: HttpRequest): MaybePromise<Session | HttpResponse>;
  /** Passes messages on that other nodes wait for. Returns what is left for this one. @throws StoreUnavailableError */
  passOn<Body extends Incoming>(session: Session, incoming: Body): MaybePromise<Body | undefined>;
  /** Ends a session on all nodes. @throws StoreUnavailableError */
  end(session: Session): MaybePromise<void>;
}
