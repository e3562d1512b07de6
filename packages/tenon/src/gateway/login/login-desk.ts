/**
 * Asks the user of a call to log in at its server, and makes the call again after the login. Nothing was sent for the call before.
 *
 * - A client on this machine without a token: the system's browser opens, and the call waits.
 * - A client with sessions that opens pages: a question in the middle of the call, which then waits for the login.
 * - A client without sessions that opens pages: `input_required`; the client's next round waits for the login.
 * - Any other client: an error in words, with the page.
 */
import { randomId } from "../../base/bytes.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ElicitResult } from "../../protocol/elicitation.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { OutcomeWaits } from "../../pages/outcome-waits.ts";
import { actionOf, canBeAsked } from "../../session/asking/questions/question.ts";
import type { Handler } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { hearerOf, type Caller } from "../clients/caller.ts";
import type { Fronts } from "../clients/fronts.ts";
import { LOCAL } from "../credentials/caller-auth.ts";
import { refusalOf } from "../credentials/refusal.ts";
import { LiveCall } from "../asking/live-call.ts";
import type { Settings } from "../settings.ts";
import type { Router } from "../router.ts";
import { bindingOf, type States } from "../asking/states.ts";
import { challengeOf, loginNeededIn, type LoginNeededError } from "./login-needed.ts";
import type { LoginAt, LoginPages } from "./login-pages.ts";
import type { LoginLink } from "./login-seals.ts";
import type { UserLogins } from "./user-logins.ts";

export interface LoginGateway {
  readonly settings: Settings;
  readonly states: States;
  readonly router: Router;
  readonly fronts: Fronts;
}

interface AskedLogins {
  readonly records: UserLogins;
  /** Undefined if the gateway has none. */
  readonly pages: LoginPages | undefined;
  readonly changed: (login: LoginAt) => void;
}

/** Logins that one call may ask for: the first, and two for more scopes. */
const MAX_ASKED = 3;
/** Rounds in which a client without sessions waits for one login, and milliseconds of one. */
const MAX_ROUNDS = 10;
const ROUND_WAIT = 45_000;
/** Milliseconds that a question waits for the login. */
const LOGIN_WAIT = 600_000;
const QUESTION = "login";

export class LoginDesk {
  readonly #gateway: LoginGateway;
  readonly #logins: AskedLogins;
  /** The calls that wait for a login, by link. */
  readonly #waits: OutcomeWaits;

  constructor(gateway: LoginGateway, logins: AskedLogins) {
    this.#gateway = gateway;
    this.#logins = logins;
    this.#waits = new OutcomeWaits(gateway.settings.clock);
  }

  /** Wakes the calls that wait for a login. */
  ended(link: string): void {
    this.#waits.ended(link);
  }

  around(next: Handler<RequestContext>): Handler<RequestContext> {
    return async (context) => {
      const unfinished = await this.#resume(context);
      if (unfinished !== undefined) return unfinished;
      for (let attempt = 1; ; attempt++) {
        try {
          return await next(context);
        } catch (error) {
          const need = loginNeededIn(error);
          const server = McpError.isMcpError(error) ? (error.data as { server?: unknown } | undefined)?.server : undefined;
          if (need === undefined || typeof server !== "string" || attempt > MAX_ASKED) throw error;
          const answer = await this.#ask(context, server, need);
          if (answer !== undefined) return answer;
        }
      }
    };
  }

  /** Returns what the client gets instead of its result; undefined if the user is logged in now. */
  async #ask(context: RequestContext, server: string, need: LoginNeededError): Promise<JsonObject | undefined> {
    const caller = this.#gateway.fronts.caller(context);
    if (caller.principal === undefined) return this.#logInHere(context, server, need);
    const link = this.#linkFor(caller, server, need);
    if (!context.codec.stateless) return this.#askLive(context, caller, link);
    return this.#askInRound(context, link, 1);
  }

  // ---- on this machine ----

  async #logInHere({ signal }: RequestContext, server: string, need: LoginNeededError): Promise<undefined> {
    const { settings, router } = this.#gateway;
    const provider = router.serverNamed(server)?.login?.here({ principal: LOCAL, store: settings.loginStore, scope: need.scope });
    try {
      await provider?.login(need.server, { challenge: challengeOf(need), signal });
    } catch (error) {
      settings.report(error, { server });
      throw refusalOf(error, server) ?? error;
    }
    this.#logins.changed({ server, principal: LOCAL });
    return undefined;
  }

  // ---- by a page of the gateway ----

  /** @throws McpError -32603 if there are no pages, or if the caller is not a user */
  #linkFor({ principal, auth }: Caller, server: string, need: LoginNeededError): LoginLink {
    const fail = (why: string): McpError =>
      new McpError(ErrorCode.InternalError, `Server "${server}" needs a login of the user, ${why}`, { server, reason: "login" });
    if (this.#logins.pages === undefined) throw fail('and this gateway has no pages for it (option "logins")');
    if (auth?.subject === undefined || principal === undefined) throw fail("and the caller's token names no user");
    const { issuer, subject, clientId = "unknown" } = auth;
    const { server: url, scope, metadata } = need;
    return { id: randomId(), server, url: url.href, principal, issuer, subject, clientId, scope, metadata };
  }

  async #questionFor(link: LoginLink): Promise<InputRequest & { readonly params: { readonly url: string } }> {
    const url = await this.#logins.pages!.pageOf(link); // a link is made only if there are pages
    return { method: "elicitation/create", params: { mode: "url", message: `Log in to "${link.server}" to go on`, url } } as never;
  }

  async #askLive(context: RequestContext, caller: Caller, link: LoginLink): Promise<JsonObject | undefined> {
    const question = await this.#questionFor(link);
    const live = new LiveCall(context, hearerOf(caller, context));
    if (!live.canAnswer(question)) return inWords(context, link, question.params.url);
    const sent = { ...question, params: { ...question.params, elicitationId: link.id } } as InputRequest;
    const answer = (await live.ask(sent, context.signal)) as unknown as ElicitResult; // checked by the codec
    if (actionOf(answer) !== "accept") return notLoggedIn(context, link);
    const outcome = await this.#outcomeOf(link, LOGIN_WAIT, context.signal);
    if (outcome === "done") await context.notify("notifications/elicitation/complete", { elicitationId: link.id });
    return outcome === "done" ? this.#loggedIn(link) : notLoggedIn(context, link);
  }

  /** A client that has answered questions of the server before cannot begin anew, because the server has begun. */
  async #askInRound(context: RequestContext, link: LoginLink, rounds: number): Promise<JsonObject> {
    const question = await this.#questionFor(link);
    const canAnswer = canBeAsked(context.client.capabilities, question);
    if (!canAnswer || context.params["requestState"] !== undefined) return inWords(context, link, question.params.url);
    const requestState = await this.#gateway.states.seal({ type: "login", link, rounds }, bindingOf(context));
    return { resultType: "input_required", inputRequests: { [QUESTION]: question }, requestState };
  }

  /** Waits for the login if the request is a later round of one. Returns what the client gets if the user is not logged in yet. */
  async #resume(context: RequestContext): Promise<JsonObject | undefined> {
    const { requestState, inputResponses, ...params } = context.params;
    if (!context.codec.stateless || typeof requestState !== "string") return undefined;
    const state = await this.#gateway.states.open(requestState, bindingOf(context));
    if (state.type !== "login") return undefined;
    context.params = params;
    const { link, rounds } = state;
    const answer = (inputResponses as { [name: string]: ElicitResult } | undefined)?.[QUESTION]; // checked by the codec
    if (answer !== undefined && actionOf(answer) !== "accept") return notLoggedIn(context, link);
    const outcome = await this.#outcomeOf(link, ROUND_WAIT, context.signal);
    if (outcome === "done") return this.#loggedIn(link);
    if (outcome === "refused" || rounds >= MAX_ROUNDS) return notLoggedIn(context, link);
    return this.#askInRound(context, link, rounds + 1);
  }

  /** Another process may have ended the login, so this one has to be told. */
  #loggedIn({ server, principal }: LoginLink): undefined {
    this.#logins.changed({ server, principal });
  }

  /** How the login of a link ended; undefined if it has not ended within `ms` milliseconds. @throws `signal.reason` */
  #outcomeOf({ id }: LoginLink, ms: number, signal: AbortSignal): Promise<"done" | "refused" | undefined> {
    return this.#waits.until(id, () => this.#logins.records.outcome(id), { ms, signal });
  }
}

/** For a client that opens no pages. @throws McpError -32603 for a call that is not of a tool */
function inWords(context: RequestContext, { server }: LoginLink, url: string): JsonObject {
  return failure(
    context,
    server,
    `The user has to log in to "${server}" first. Ask the user to open this page, and then call again: ${url}`,
    { url },
  );
}

/** @throws McpError -32603 for a call that is not of a tool */
function notLoggedIn(context: RequestContext, { server }: LoginLink): JsonObject {
  return failure(context, server, `The user is not logged in to "${server}", so nothing was called.`);
}

function failure(context: RequestContext, server: string, text: string, more: JsonObject = {}): JsonObject {
  if (context.method === "tools/call") return context.fail(text);
  throw new McpError(ErrorCode.InternalError, text, { server, reason: "login", ...more });
}
