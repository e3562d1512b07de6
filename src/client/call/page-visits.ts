/**
 * Calls that a server refuses until its user has done something on a page (-32042, 2025-11-25): sends the user there, waits
 * until the server says that it is done, and calls again (L1.8).
 *
 * Loaded with the first such refusal (`rounds.ts`).
 */
import { LinkedAbort } from "../../base/abort.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ConnectionClosedError, LimitExceededError, RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestURLParams, ElicitResult } from "../../protocol/elicitation.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { Handler } from "../../session/handler.ts";
import { answerQuestion } from "../answer/answers.ts";
import type { Bounds } from "./call-rounds.ts";
import type { ClientSession } from "../session.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { sleep } from "../../base/clock.ts";

export interface VisitBounds extends Bounds {
  /** Milliseconds the user has for the pages of one refusal. */
  readonly visitTimeout: number;
}

/** A page the server can say of that the user is done with it. */
type Page = ElicitRequestURLParams & { readonly elicitationId: string };

export class PageVisits {
  readonly #session: ClientSession;
  readonly #request: OutgoingRequest;
  readonly #next: Handler<OutgoingRequest>;
  readonly #bounds: VisitBounds;

  constructor(session: ClientSession, request: OutgoingRequest, next: Handler<OutgoingRequest>, bounds: VisitBounds) {
    this.#session = session;
    this.#request = request;
    this.#next = next;
    this.#bounds = bounds;
  }

  /**
   * @param spent milliseconds the refused call took
   * @throws the refusal, where the user does not want to, or nobody can say when it is done
   * @throws RequestTimeoutError `visitTimeout`; LimitExceededError `maxRounds` for a server that goes on refusing
   */
  async run(refusal: UrlElicitationRequiredError, spent: number): Promise<JsonObject> {
    const { clock, maxRounds, maxTotalTimeout } = this.#bounds;
    const { requestId: _, ...options } = this.#request.options;
    let open = refusal;
    for (let round = 1; round <= maxRounds; round++) {
      await this.#visit(open);
      const began = clock.now();
      try {
        const left = Math.max(maxTotalTimeout - spent, 0);
        return await this.#next({ ...this.#request, options: { ...options, maxTotalTimeout: left } });
      } catch (error) {
        if (!(error instanceof UrlElicitationRequiredError)) throw error;
        open = error;
      }
      spent += clock.now() - began;
    }
    throw new LimitExceededError("maxRounds", maxRounds);
  }

  /** Resolves when the user is done with every page of a refusal. */
  async #visit(refusal: UrlElicitationRequiredError): Promise<void> {
    const pages = refusal.elicitations.filter(isPage);
    if (pages.length === 0 || pages.length < refusal.elicitations.length) throw refusal;
    const { signal } = this.#request;
    const { ended, inbox } = this.#session;
    const stop = new LinkedAbort(signal, ended);
    // From before the user is asked: the server may be told before we are.
    const open = new Set(pages.map((page) => page.elicitationId));
    const unsubscribe = inbox.subscribe((method, params) => {
      if (method !== "notifications/elicitation/complete") return;
      open.delete(String(params["elicitationId"]));
      if (open.size === 0) done();
    });
    let done!: () => void;
    const completed = new Promise<void>((resolve) => (done = resolve));
    try {
      const late = sleep(this.#bounds.clock, this.#bounds.visitTimeout, stop.signal).then(() => {
        throw new RequestTimeoutError(this.#request.method, this.#bounds.visitTimeout, "visitTimeout");
      });
      await Promise.race([this.#ask(refusal, pages, stop.signal).then(() => completed), late]);
    } catch (error) {
      throw signal.aborted ? signal.reason : ended.aborted ? new ConnectionClosedError() : error;
    } finally {
      unsubscribe();
      stop.abort();
    }
  }

  /** @throws the refusal, unless the user consents to every page */
  async #ask(refusal: UrlElicitationRequiredError, pages: readonly Page[], signal: AbortSignal): Promise<void> {
    try {
      const answers = await Promise.all(
        pages.map(async (params) =>
          answerQuestion(this.#session, { method: "elicitation/create", params }, { requestId: params.elicitationId, signal }),
        ),
      );
      if (answers.every((answer) => (answer as ElicitResult).action === "accept")) return;
    } catch (error) {
      this.#bounds.report(error);
    }
    throw refusal;
  }
}

function isPage(params: ElicitRequestURLParams): params is Page {
  return params.elicitationId !== undefined;
}
