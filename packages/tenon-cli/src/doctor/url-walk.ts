/** `tenon doctor <url>`: checks every step from the first response of a server to an accepted request. */
import type { Invocation, Outcome } from "../invocation.ts";
import { discoveryHops, type DiscoveryFindings } from "./discovery-hops.ts";
import { checkMessagesOf } from "./messages-hop.ts";
import { reportOf } from "./report.ts";
import { subjectOf, type Subject } from "./subject.ts";
import { tokenHops } from "./token-hops.ts";
import { missingLogin } from "./url-fault.ts";
import { Walk, HopFailure, ok, skipped, type HopResult } from "./walk.ts";
import { type Issuer, assertPkce, loopback, resolveClient, segmentOf } from "tenon/internal";
import { CLIENT_NAME } from "../login/login-options.ts";

export async function walkToUrl(url: URL, invocation: Invocation): Promise<Outcome> {
  const server = new URL(url);
  server.hash = "";
  const subject = await subjectOf(server, invocation);
  const walk = new Walk(invocation.terminal, invocation.signal, subject.left);
  const discovered = await discoveryHops(walk, subject);
  await clientHops(walk, subject, discovered);
  await tokenHops(walk, subject, discovered);
  await walk.hop("messages", () => checkMessagesOf(subject, discovered));
  const isKnown = discovered.open !== undefined || (subject.stored ?? subject.typed) !== undefined;
  const { problem, remedy } = missingLogin(server);
  const verdict = isKnown ? undefined : `Nothing is broken, as far as can be told without a login: ${problem}. ${remedy}`;
  return reportOf(server.origin + server.pathname, walk, verdict);
}

/** PKCE, and how this command gets a client id (MCP 2025-11-25, Authorization). It registers only with `--register`. */
async function clientHops(walk: Walk, subject: Subject, discovered: DiscoveryFindings): Promise<void> {
  await walk.hop("PKCE", () => checkPkce(discovered.issuer, subject.settings.assumePkce));
  await walk.hop("registration", () => checkRegistration(subject, discovered));
}

function checkPkce(issuer: Issuer | undefined, isAssumed: boolean | undefined): HopResult<unknown> {
  if (issuer === undefined) return skipped("not without the metadata");
  assertPkce({ issuer }, isAssumed);
  return ok(issuer.metadata.code_challenge_methods_supported === undefined ? "S256, which it does not name (--assume-pkce)" : "S256");
}

async function checkRegistration(subject: Subject, { issuer, resource, challenge }: DiscoveryFindings): Promise<HopResult<unknown>> {
  const { settings, credentials, documents, server, invocation } = subject;
  if (settings.client !== undefined) return ok(`the client that was given: ${settings.client.id}`);
  if (issuer === undefined) return skipped("not without the metadata");
  const { issuer: name, registration_endpoint: url } = issuer.metadata;
  const known = await credentials.registration(name, server);
  if (known !== undefined) return ok(`registered by an earlier login: ${known.id}`);
  if (url === undefined) {
    const fix = "Register a client there by hand, then: tenon login <url> --client-id <id>";
    throw new HopFailure("the authorization server takes no registrations of programs", fix, name);
  }
  documents.check(url, "registration");
  if (invocation.values.register !== true) return ok("a login would register (--register tries it)", undefined, url);
  const { signal } = invocation;
  const page = await loopback().begin(undefined, signal, await segmentOf(name));
  try {
    const scope = challenge?.scope ?? resource?.scopesSupported;
    const at = {
      server,
      issuer,
      resource: resource?.resource,
      indicator: resource?.resource,
      scope,
      documents,
      credentials,
      dpop: undefined,
      signal,
    };
    const { id } = await resolveClient(at, { clientName: CLIENT_NAME }, page.redirectUri);
    return ok(`registered just now, for the next login: ${id}`, undefined, url);
  } finally {
    await page.close();
  }
}
