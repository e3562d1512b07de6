/**
 * Logging in to a server and out of it, from the page.
 *
 * Security: the page of the authorization server opens after a click of the user only. The browser page gets no token.
 */
import type { LoginEntry } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { OperationError, toFailure } from "./failure.ts";
import type { Inspected } from "./inspected.ts";
import type { Account } from "./inspector-target.ts";

type Work = (account: Account, signal: AbortSignal) => Promise<string>;

/** The logins that run. There is one at a time for each server. */
export class Login {
  readonly #journal: Journal;
  readonly #running = new Map<number, AbortController>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Starts a login. What becomes of it is in the journal; afterwards the server is connected again. @throws OperationError */
  start(on: Inspected): Promise<void> {
    const show = (page: URL): Promise<void> => {
      this.#tell(on, { state: "waiting", page: page.href });
      return Promise.resolve();
    };
    return this.#begin(on, (account, signal) => account.login(show, signal));
  }

  /** Forgets the login of a server, and has its tokens revoked. @throws OperationError */
  logout(on: Inspected): Promise<void> {
    return this.#begin(on, (account, signal) => account.logout(signal));
  }

  /** Ends the login that runs, if there is one. */
  cancel({ number }: Inspected): void {
    this.#running.get(number)?.abort(new OperationError("The login was cancelled"));
  }

  close(): void {
    for (const abort of this.#running.values()) abort.abort(new OperationError("The page was closed"));
  }

  /** Resolves when the work has begun. */
  async #begin(on: Inspected, work: Work): Promise<void> {
    const { account } = on.target;
    if (account === undefined) throw new OperationError("There is no login for this server");
    if (this.#running.has(on.number)) throw new OperationError("A login runs already");
    const abort = new AbortController();
    this.#running.set(on.number, abort);
    this.#tell(on, { state: "asking" });
    void this.#finish(on, work(account, abort.signal), abort.signal);
  }

  async #finish(on: Inspected, ending: Promise<string>, signal: AbortSignal): Promise<void> {
    try {
      this.#tell(on, { state: "done", text: await ending });
      void on.connect();
    } catch (error) {
      this.#tell(on, { state: "failed", text: toFailure(signal.aborted ? signal.reason : error).message });
    } finally {
      this.#running.delete(on.number);
    }
  }

  #tell({ number }: Inspected, change: Omit<LoginEntry, "kind" | "target">): void {
    this.#journal.add({ kind: "login", target: number, ...change }, `login:${number}`);
  }
}
