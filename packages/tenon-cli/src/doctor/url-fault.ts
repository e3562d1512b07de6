/**
 * The first fault on the way to a server at a URL, for commands that could not connect: the hops of `tenon doctor` up to the login,
 * so that all commands say the same. Nothing is changed, and no credentials are sent.
 */
import { type Diagnosis, loginCommand } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { discoveryHops, type DiscoveryFindings } from "./discovery-hops.ts";
import { subjectOf } from "./subject.ts";
import { checkAccess } from "./token-hops.ts";
import { Walk } from "./walk.ts";

/** The hops that connecting again does not help, because a login is the matter. */
const OF_LOGINS: ReadonlySet<string> = new Set(["challenge", "protected resource metadata", "authorization server metadata"]);

/** @returns undefined if nothing is wrong any more */
export async function diagnoseUrl(url: URL, invocation: Omit<Invocation, "terminal">): Promise<Diagnosis | undefined> {
  const server = new URL(url);
  server.hash = "";
  const quiet = { activity: () => undefined, clearProgress: () => undefined };
  const subject = await subjectOf(server, invocation);
  const walk = new Walk(quiet, invocation.signal, subject.left);
  const found = await discoveryHops(walk, subject);
  if (found.failure !== undefined) await walk.hop("access", () => checkAccess({ ...subject, stored: undefined, typed: undefined }, found));
  return firstFault(walk, found, server);
}

/** The first hop that failed, or the login that is missing. */
function firstFault({ failed }: Walk, found: DiscoveryFindings, server: URL): Diagnosis | undefined {
  if (failed !== undefined) {
    const { hop, detail, fix = "", url } = failed;
    return {
      problem: detail,
      remedy: fix,
      action: OF_LOGINS.has(hop) ? "examine" : "connect",
      ...(url !== undefined && url !== server.href && { url }),
    };
  }
  return found.challenge === undefined ? undefined : missingLogin(server);
}

/** The diagnosis of a server whose login works, as far as can be told, and is not stored. */
export function missingLogin(server: URL): Diagnosis {
  return { problem: "it wants a login", remedy: `Run: ${loginCommand(server)}`, action: "login" };
}
