/** `tenon doctor <url>`: checks every step from the first response of a server to an accepted request. */
import type { Invocation, Outcome } from "../invocation.ts";
import { clientHops } from "./client-hops.ts";
import { discoveryHops } from "./discovery-hops.ts";
import { checkMessagesOf } from "./messages-hop.ts";
import { reportOf } from "./report.ts";
import { subjectOf } from "./subject.ts";
import { tokenHops } from "./token-hops.ts";
import { missingLogin } from "./url-fault.ts";
import { Walk } from "./walk.ts";

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
