/**
 * The user that the owner's own check has found (`request.auth`), as Tenon's endpoint knows users: tasks, states and kept results of a user are
 * that user's alone.
 *
 * `AuthInfo` of 1.x has no member for the user. Owners put one into `extra`; without one each token is a user of its own, and what it has begun
 * is lost when the token is refreshed. Loaded with the first request that has a user.
 */
import type { AuthInfo } from "mcp-sdk-v1/server/auth/types.js";
import { principalOf, type Authorized, type EndpointAuth, type Refusal } from "tenon/auth";
import { requestFacts } from "./request-facts.ts";

/** Members of `extra` that name the user. */
const SUBJECTS = ["sub", "subject", "userId", "user_id"] as const;

export const ownerAuth: EndpointAuth = {
  async authorize(): Promise<Authorized | Refusal> {
    const { authInfo } = requestFacts.getStore() ?? {};
    if (authInfo === undefined) return { status: 401, headers: [], message: "Unauthorized" };
    const { token, clientId, scopes, expiresAt, extra = {} } = authInfo;
    const auth = {
      issuer: typeof extra["iss"] === "string" ? extra["iss"] : "",
      subject: subjectIn(extra) ?? (await digestOf(token)),
      clientId,
      scopes,
      claims: {},
      dangerouslyGetToken: () => token,
    };
    // The owner has judged the time of the token, as 1.x leaves it to the owner; streams end with it.
    const until = expiresAt === undefined ? Infinity : expiresAt * 1_000;
    return { auth, principal: principalOf(auth), until };
  },
  insufficientScope(scopes): Refusal {
    const challenge = `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"`;
    return { status: 403, headers: ["WWW-Authenticate", challenge], message: "Insufficient scope" };
  },
};

function subjectIn(extra: NonNullable<AuthInfo["extra"]>): string | undefined {
  const name = SUBJECTS.find((member) => ["string", "number"].includes(typeof extra[member]));
  return name && `${name} ${String(extra[name])}`;
}

/** The token itself would be in stores and logs. */
async function digestOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token));
  return `token ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
