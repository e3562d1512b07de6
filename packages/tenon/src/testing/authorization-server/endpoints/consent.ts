/**
 * The consent page and its form. The page contains escaped text and two buttons only, and cannot be framed. Its form is valid once, in
 * the browser that showed it.
 */
import { escapeHtml } from "../../../base/text/html-page.ts";
import type { RegisteredClient } from "../clients/client-metadata.ts";
import { assertForm, type EndpointResponse, type Exchange } from "../exchange.ts";
import { pageResponse } from "./html.ts";
import { OAuthError } from "../oauth-error.ts";
import { newSecret, type GrantedAccess, type ServerState } from "../state.ts";

const COOKIE = "tenon-consent";

export interface ConsentQuestion {
  /** The endpoint that gets the form. */
  readonly endpoint: "authorize" | "device";
  readonly client: RegisteredClient;
  readonly grant: GrantedAccess;
  /** Further names and values to show. */
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** The pending request, returned by {@link takeConsent}. */
  readonly resume: string;
  /** Where the browser goes after the form. */
  readonly leadsTo?: string;
}

/** Shows the page for a grant, and keeps the pending request. */
export function consentPage(state: ServerState, question: ConsentQuestion): EndpointResponse {
  const { endpoint, client, grant, leadsTo } = question;
  const id = newSecret();
  const secret = newSecret();
  state.consents.set(id, { endpoint, secret, resume: question.resume }, state.settings.codeLifetime);
  const action = new URL(state.urls[endpoint]).pathname;
  const rows = [...question.rows, ...toRows("Scope", grant.scopes), ...toRows("Resource", grant.resources)];
  return pageResponse({
    title: "Allow access?",
    body: `<p><b>${escapeHtml(client.name)}</b> asks for access in the name of <b>${escapeHtml(grant.subject)}</b>.</p>
<dl>${rows.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>
<form method="post" action="${escapeHtml(action)}"><input type="hidden" name="consent" value="${id}">
<button name="decision" value="approve">Approve</button> <button name="decision" value="deny">Deny</button></form>`,
    // Browsers also apply this rule to the redirect after a form.
    ...(leadsTo !== undefined && { formTargets: [sourceOf(leadsTo)] }),
    headers: ["Set-Cookie", `${COOKIE}=${secret}; Path=${action}; HttpOnly; SameSite=Strict`],
  });
}

/** Takes the pending request of a form. @throws OAuthError if this browser was shown no such page */
export function takeConsent(state: ServerState, exchange: Exchange, endpoint: ConsentQuestion["endpoint"]): string {
  assertForm(exchange);
  const pending = state.consents.take(exchange.parameters.required("consent"));
  const cookies = (exchange.header("cookie") ?? "").split(/; */);
  if (pending?.endpoint !== endpoint || !cookies.includes(`${COOKIE}=${pending.secret}`)) {
    throw new OAuthError("invalid_request", "No page of this browser waits for this decision", 403);
  }
  return pending.resume;
}

function toRows(name: string, values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [name, value] as const);
}

/** A redirect URI as a source of a content security policy. */
function sourceOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? origin : protocol;
}
