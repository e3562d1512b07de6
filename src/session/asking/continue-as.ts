/** Handlers that outlive the request they were called for. Loaded with what lets them. */
import type { RequestContext } from "../request-context.ts";

/** The handler of `context` goes on, on behalf of a later request of the same call: there it speaks, and with it it is cancelled. */
export function continueAs(context: RequestContext, later: RequestContext): void {
  context.adopt(later);
  const { signal } = later;
  const stop = (): void => context.cancel(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
}
