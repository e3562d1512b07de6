/**
 * Sends the user to the pages that a server requires before it serves a call (error -32042, 2025-11-25), and waits until
 * the server says that the user is done.
 */
import { LinkedAbort } from "../../base/abort.ts";
import { sleep } from "../../base/clock.ts";
import { LimitExceededError, RequestTimeoutError } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestURLParams, ElicitResult } from "../../protocol/elicitation.ts";
import type { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { RoundHost } from "./questions.ts";

/** A page whose completion the server can announce. */
type AnnouncedPage = ElicitRequestURLParams & { readonly elicitationId: string };

/**
 * Resolves when the user is done with every page of the error.
 * @throws the error itself, if the user declines or if the server cannot announce that a page is done
 * @throws LimitExceededError `limits.maxInFlight`, if there are too many pages; RequestTimeoutError `visitTimeout`; the reason of the
 * signal that ends it
 */
export async function visitPages(
  host: RoundHost,
  { method, signal, options }: OutgoingRequest,
  refusal: UrlElicitationRequiredError,
): Promise<void> {
  const pages = refusal.elicitations.filter((page): page is AnnouncedPage => page.elicitationId !== undefined);
  if (pages.length === 0 || pages.length < refusal.elicitations.length) throw refusal;
  if (pages.length > host.maxInFlight) throw new LimitExceededError("limits.maxInFlight", host.maxInFlight, pages.length);
  const stop = new LinkedAbort(signal, host.ended);
  // Subscribes before it asks the user, because the server may announce completion while the callback still runs.
  const { completed, unsubscribe } = completionOf(host.inbox, pages);
  try {
    const late = sleep(host.clock, host.visitTimeout, stop.signal).then(() => {
      throw new RequestTimeoutError(method, host.visitTimeout, "visitTimeout");
    });
    await Promise.race([invite(host, refusal, pages, { signal: stop.signal, relay: options.relay }).then(() => completed), late]);
  } catch (error) {
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    unsubscribe();
    stop.abort();
  }
}

function completionOf(inbox: RoundHost["inbox"], pages: readonly AnnouncedPage[]): { completed: Promise<void>; unsubscribe: () => void } {
  const open = new Set(pages.map((page) => page.elicitationId));
  let done!: () => void;
  const completed = new Promise<void>((resolve) => (done = resolve));
  const unsubscribe = inbox.subscribe((method, params) => {
    if (method !== "notifications/elicitation/complete") return;
    open.delete(String(params["elicitationId"]));
    if (open.size === 0) done();
  });
  return { completed, unsubscribe };
}

/** @throws the error itself, unless the user accepts every page */
async function invite(
  { answers, report }: RoundHost,
  refusal: UrlElicitationRequiredError,
  pages: readonly AnnouncedPage[],
  asking: { readonly signal: AbortSignal; readonly relay: QuestionRelay | undefined },
): Promise<void> {
  try {
    const replies = await Promise.all(
      pages.map(async (params) =>
        answers.answerQuestion({ method: "elicitation/create", params }, { requestId: params.elicitationId, ...asking }),
      ),
    );
    if (replies.every((answer) => (answer as ElicitResult).action === "accept")) return;
  } catch (error) {
    report(error);
  }
  throw refusal;
}
