import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { AccessRefusedError } from "../auth/resource-server/judge-token.ts";
import type { VerifiedToken } from "../auth/resource-server/verified-token.ts";
import { assertText, baseOf, hostedBearer, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link supabase}. */
export interface SupabaseOptions extends HostedProviderOptions {
  /** The id of the project (`abcdefghijklmnopqrst`), or its URL. */
  readonly project: string;
  /** The OAuth clients whose tokens are accepted. Default: every OAuth client of the project. */
  readonly clientIds?: readonly string[];
}

/** What every access token of Supabase names. */
const AUDIENCE = "authenticated";

/**
 * Accepts access tokens of the OAuth server of a Supabase project. In the dashboard, under Authentication > OAuth Server, switch it on, and
 * use signing keys that are asymmetric. Its tokens name no scopes: with the option `scopes`, all are refused.
 *
 * Security: Supabase does not bind tokens to a server. Every OAuth client of the project can use its tokens here, unless `clientIds` names
 * some. Sessions of the project's own application name no client, and are refused.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { supabase } from "tenon/auth/providers";
 *
 * const auth = supabase({ project: "abcdefghijklmnopqrst", url: "https://files.example.com/mcp" });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function supabase(options: SupabaseOptions): BearerAuth {
  const { project, clientIds, url: _, ...open } = options;
  urlOf("supabase()", options);
  assertText("supabase()", "project", project, "the id of the project, or its URL");
  const base = baseOf("supabase()", "project", project.includes("://") ? project : `https://${project}.supabase.co`);
  if (base.endsWith("/auth/v1"))
    throw new TypeError(`supabase() needs option "project" without "/auth/v1", which is added, not ${JSON.stringify(project)}`);
  return hostedBearer("supabase()", options, {
    own: { project: 1, clientIds: 1 },
    open,
    way: {
      issuer: `${base}/auth/v1`,
      issuerFrom: '"project"',
      audiences: [AUDIENCE],
      audienceStep: 'It is not a token of a user: tokens of users name the audience "authenticated".',
      opaqueStep: "Access tokens of Supabase are JWTs: this one comes from elsewhere.",
      adapt: (token) => ofClient(token, clientIds),
    },
  });
}

function ofClient(token: VerifiedToken, clientIds: readonly string[] | undefined): VerifiedToken {
  const client = token.claims?.["client_id"];
  if (typeof client !== "string" || client === "")
    throw new AccessRefusedError(
      "Access token refused: it is a session of the project's own application, and names no OAuth client. The client must log in by the OAuth server",
    );
  if (clientIds !== undefined && !clientIds.includes(client))
    throw new AccessRefusedError(`Access token refused: its client ${JSON.stringify(client.slice(0, 200))} is none of option "clientIds"`);
  return token;
}
