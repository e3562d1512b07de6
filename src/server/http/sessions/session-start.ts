/** A session begins with the server's consent: until it serves, nothing of the session is answered. */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { HttpResponse } from "../http-message.ts";
import { unavailable } from "../refusals.ts";
import type { HttpSession } from "./session.ts";

/** Runs `then` once the server serves the session; 503 where it does not. */
export function startSession(session: HttpSession, server: Acceptor, then: () => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
  const serve = (): MaybePromise<HttpResponse> => (session.running ? then() : unavailable("The server is not available"));
  const starting = session.start(server);
  if (!isPromise(starting)) return serve();
  return starting.then(serve, (error: unknown) => {
    session.serving.report(error);
    return unavailable("The server is not available");
  });
}
