/** The page that asks a user about a client, before the user is sent to the provider. */
import { htmlPage, type HtmlPage } from "../../base/text/html-page.ts";
import { isRemembered } from "../records/consents.ts";
import { shown } from "./html.ts";

export interface ConsentRequest {
  readonly clientId: string;
  /** What the client calls itself. */
  readonly clientName: string | undefined;
  readonly redirectUri: string;
  readonly resources: readonly string[];
  readonly scopes: readonly (readonly [scope: string, sentence: string])[];
  /** The provider at which the user logs in next; undefined if the user is logged in. */
  readonly provider: { readonly name: string; readonly origin: string } | undefined;
  /** Proves that the form was sent by this page. */
  readonly proof: string;
}

export function consentPage(request: ConsentRequest): HtmlPage {
  const { clientName, redirectUri, resources, scopes, provider, proof } = request;
  const allow = provider === undefined ? "Allow" : `Allow and log in with ${shown(provider.name, 40)}`;
  const content = `
<p>A program asks for access in your name. Allow it only if you have just started this login yourself.</p>
<dl>
<div><dt>It calls itself</dt><dd>${shown(clientName ?? "nothing")}<small>${origin(request)}</small></dd></div>
<div><dt>Access goes to</dt><dd>${shown(targetOf(redirectUri))}<small>${shown(redirectUri, 300)}</small></dd></div>
<div><dt>Server</dt>${resources.map((resource) => `<dd>${shown(resource, 300)}</dd>`).join("")}</div>
</dl>
<h2>It may</h2>
<ul>${scopes.map(([scope, sentence]) => `<li>${shown(sentence, 200)} <code>${shown(scope)}</code></li>`).join("")}</ul>
<p class="note">${isRemembered(redirectUri) ? REMEMBERED : ON_THIS_MACHINE}</p>
<form method="post">
<input type="hidden" name="proof" value="${shown(proof)}">
<button class="main" name="decision" value="allow">${allow}</button>
<button name="decision" value="deny">Deny</button>
</form>`;
  return htmlPage("Allow access?", content, [cspSource(redirectUri), ...(provider === undefined ? [] : [provider.origin])]);
}

const REMEMBERED = "Your decision is remembered for this program and this address.";
const ON_THIS_MACHINE = "Access goes to a program on this computer. No address proves which program that is, so you are asked each time.";

/** Who vouches for the name: the host that publishes the client's document, or no one. */
function origin({ clientId }: ConsentRequest): string {
  if (!clientId.startsWith("https://")) return "No one has checked this name.";
  return `Its description is published by <strong>${shown(new URL(clientId).host)}</strong>.`;
}

/** Where the code goes, as users know places. */
function targetOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  if (protocol === "https:") return host;
  return protocol === "http:" ? `this computer (${host})` : `a program on this computer (${protocol})`;
}

/** A redirect URI as a source of a content security policy, which cannot name an IPv6 address. A URL may have `;` and `*` in its host. */
function cspSource(redirectUri: string): string {
  const { protocol, origin: own, hostname } = new URL(redirectUri);
  return protocol.startsWith("http") && /^[\w.-]+$/.test(hostname) ? own : protocol;
}
