/**
 * The page that asks the user, and what comes back from it. It holds nothing but escaped text and two buttons; it cannot
 * be framed, and its form counts once, in the browser it was shown in.
 */
import type { AuthorizationRequest } from "./authorize.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { assertForm } from "./exchange.ts";
import { htmlPage, escapeHtml } from "./html.ts";
import { OAuthError } from "./oauth-error.ts";
import { newSecret, type Grant, type ServerState } from "./state.ts";

const COOKIE = "tenon-consent";

/** Asks about `grant`; the request is kept until the answer comes. */
export function consentPage(state: ServerState, request: AuthorizationRequest, grant: Grant, query: string): Answer {
  const id = newSecret();
  const secret = newSecret();
  state.consents.set(id, { secret, query }, state.settings.codeLifetime);
  const action = new URL(state.urls.authorize).pathname;
  return htmlPage({
    title: "Allow access?",
    body: `<p><b>${escapeHtml(request.client.name)}</b> asks for access in the name of <b>${escapeHtml(grant.subject)}</b>.</p>
<dl><dt>Sent back to</dt><dd>${escapeHtml(request.redirectUri)}</dd>${list("Scopes", grant.scopes)}${list("Resources", grant.resources)}</dl>
<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="consent" value="${id}">
<button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></form>`,
    // Browsers hold the redirect that follows a form to this rule too.
    formTargets: [sourceOf(request.redirectUri)],
    headers: ["Set-Cookie", `${COOKIE}=${secret}; Path=${action}; HttpOnly; SameSite=Strict`],
  });
}

/** The query of the request that was answered. @throws OAuthError where no such page was shown in this browser */
export function takeConsent(state: ServerState, exchange: Exchange): string {
  assertForm(exchange);
  const pending = state.consents.take(exchange.parameters.required("consent"));
  const cookies = (exchange.header("cookie") ?? "").split(/; */);
  if (pending === undefined || !cookies.includes(`${COOKIE}=${pending.secret}`)) {
    throw new OAuthError("invalid_request", "No page of this browser waits for this answer", 403);
  }
  return pending.query;
}

function list(title: string, entries: readonly string[]): string {
  return entries.length === 0 ? "" : `<dt>${title}</dt>${entries.map((entry) => `<dd>${escapeHtml(entry)}</dd>`).join("")}`;
}

/** A redirect URI as a source of a content security policy. */
function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? origin : protocol;
}
