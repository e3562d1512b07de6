/** One POST of a session: the requests it brought, and the reply they share (several only on 2025-03-26). */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import { isBatch, isRequest, type RequestId } from "../../../jsonrpc/message.ts";
import type { RequestPolicy, TransportContext } from "../../../transport/transport-context.ts";
import { UNAUTHENTICATED, type Caller } from "../caller.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { Reply, type MessageStream, type ReplyOwner } from "../exchange/reply.ts";
import type { HttpRequest } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";

/** The session, as its POSTs see it. */
export interface PostOwner {
  readonly serving: Serving;
  openPostStream(): { messages: MessageStream; body: EventStream };
}

const NONE: readonly RequestId[] = [];

export class SessionPost implements ReplyOwner, TransportContext {
  readonly kind = "http";
  readonly mode: ResponseMode;
  readonly reply: Reply;
  /** Of its requests. */
  readonly ids: readonly RequestId[];
  /** Requests that have not been cancelled. */
  open: number;
  readonly #owner: PostOwner;
  readonly #request: HttpRequest | undefined;
  /** Members that are no messages are answered too, whatever becomes of the others. */
  readonly #malformed: boolean;
  #cancelled: Set<RequestId> | undefined;

  constructor(owner: PostOwner, mode: ResponseMode, incoming: Incoming, request: HttpRequest | undefined) {
    this.#owner = owner;
    this.#request = request;
    this.mode = mode;
    this.ids = idsOf(incoming);
    this.open = this.ids.length;
    this.#malformed = isBatch(incoming) && incoming.some((item) => item instanceof MalformedMessage);
    this.reply = new Reply(this);
  }

  // ---- what handlers see of it ----

  /** Who sent it; undefined where nobody has to say so. */
  get caller(): Caller | undefined {
    return this.#request?.caller;
  }

  get auth(): AuthInfo | undefined {
    return this.caller?.auth;
  }

  get principal(): string | undefined {
    return this.caller?.principal;
  }

  /** Absent for a message that the endpoint itself makes. */
  get policy(): RequestPolicy | undefined {
    return this.#request && (this.#request.caller ?? UNAUTHENTICATED.policy);
  }

  header(name: string): string | undefined {
    return this.#request?.header(name);
  }

  // ---- its answer ----

  get serving(): Serving {
    return this.#owner.serving;
  }

  has(id: RequestId): boolean {
    return this.ids.length === 1 ? this.ids[0] === id : this.ids.includes(id);
  }

  /** One of its requests was cancelled. True where nothing is left to wait for. */
  cancel(id: RequestId): boolean {
    this.#cancelled ??= new Set();
    this.#cancelled.add(id);
    this.open = this.ids.length - this.#cancelled.size;
    return this.open <= 0 && !this.#malformed;
  }

  openStream(): { messages: MessageStream; body: EventStream } {
    return this.#owner.openPostStream();
  }
}

function idsOf(incoming: Incoming): readonly RequestId[] {
  if (isBatch(incoming)) return incoming.flatMap((item) => idsOf(item));
  return incoming instanceof MalformedMessage || !isRequest(incoming) ? NONE : [incoming.id];
}
