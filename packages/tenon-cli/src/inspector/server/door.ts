/**
 * Decides which requests reach the page's process.
 *
 * Security: every program and every web page of this machine can send requests to 127.0.0.1. So a request must name this host, come
 * from this page, and carry a key that only a tab has that was opened with a ticket. A ticket works once, and for ten minutes.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Milliseconds a ticket is valid. */
const TICKET_LIFETIME = 600_000;
/** Most tickets at a time. The oldest is dropped. */
const MAX_TICKETS = 100;

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421;
  readonly problem: string;
}

export class Door {
  readonly #key: string = randomBytes(32).toString("base64url");
  readonly #tickets = new Map<string, number>();
  readonly #now: () => number;
  port = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Makes a ticket: it belongs in the fragment of the page's address, which no browser sends anywhere. */
  ticket(): string {
    const ticket = randomBytes(16).toString("base64url");
    this.#tickets.set(digest(ticket), this.#now() + TICKET_LIFETIME);
    for (const oldest of this.#tickets.keys()) {
      if (this.#tickets.size <= MAX_TICKETS) break;
      this.#tickets.delete(oldest);
    }
    return ticket;
  }

  /** Exchanges a ticket for the key. Undefined if the ticket is unknown, used or too old. */
  open(ticket: string): string | undefined {
    const name = digest(ticket);
    const until = this.#tickets.get(name);
    this.#tickets.delete(name);
    return until !== undefined && this.#now() < until ? this.#key : undefined;
  }

  /** Refuses a request that names another host, or that another page sent. Undefined if it passes. */
  refuseSender(headers: IncomingHttpHeaders, isPage: boolean): Refusal | undefined {
    const { host, origin } = headers;
    if (host !== `127.0.0.1:${this.port}` && host !== `localhost:${this.port}`) return { status: 421, problem: "Not this host" };
    if (origin !== undefined && origin !== `http://${host}`) return { status: 403, problem: "Another page sent this" };
    const site = headers["sec-fetch-site"];
    const allowed = site === undefined || site === "same-origin" || (isPage && site === "none");
    return allowed ? undefined : { status: 403, problem: "Another page sent this" };
  }

  /** Refuses a request without the key. Undefined if it passes. */
  refuseKey({ authorization = "" }: IncomingHttpHeaders): Refusal | undefined {
    const actual = createHash("sha256").update(authorization).digest();
    const expected = createHash("sha256").update(`Bearer ${this.#key}`).digest();
    return timingSafeEqual(actual, expected) ? undefined : { status: 401, problem: "The key is missing or wrong: open the page again" };
  }
}

function digest(ticket: string): string {
  return createHash("sha256").update(ticket).digest("base64url");
}
