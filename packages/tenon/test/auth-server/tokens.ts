/** An authorization server in this process, an endpoint's `auth` for its tokens, and what that makes of them. */
import { vi } from "vitest";
import { bearer, type Authorized, type BearerOptions, type EndpointAuth, type Refusal } from "tenon/auth";
import { createTestAuthorizationServer, type TestAuthorizationServer } from "tenon/testing";
import { AUDIENCE, bearing } from "./support.ts";

export const ISSUER = "https://login.example";
export const MINUTE = 60_000;

export type Take = (token: string) => Promise<Authorized | Refusal>;

/** What an endpoint with that `auth` does with a token. */
export function taking(auth: EndpointAuth): Take {
  return async (token) => auth.authorize({ method: "POST", url: "/mcp", header: (name) => bearing(token)[name] });
}

/** Time that passes when a test says so, for whoever asks what time it is. */
export function timeStandsStill(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.now() });
}

export interface World {
  readonly login: TestAuthorizationServer;
  readonly auth: EndpointAuth;
  /** What an endpoint with `auth` does with a token. */
  readonly take: Take;
  /** Requests for metadata and keys. */
  readonly fetched: (what: "metadata" | "jwks") => number;
}

export async function world(options: Partial<BearerOptions> = {}, issuer: string = ISSUER): Promise<World> {
  const login = await createTestAuthorizationServer(issuer, { defaultAudience: AUDIENCE, clock: () => Date.now() });
  const auth = bearer({ issuer, audience: AUDIENCE, fetch: (url, init) => login.fetch(url, init), ...options });
  return {
    login,
    auth,
    take: taking(auth),
    fetched: (what: "metadata" | "jwks") => login.requests.filter(({ endpoint }) => endpoint === what).length,
  };
}

/** 200, or the status of the refusal. */
export async function statusOf(decision: Promise<Authorized | Refusal>): Promise<number> {
  const decided = await decision;
  return "status" in decided ? decided.status : 200;
}

export async function reasonOf(decision: Promise<Authorized | Refusal>): Promise<string> {
  const decided = await decision;
  return "status" in decided ? `${decided.status} ${decided.reason?.message ?? ""}` : "taken";
}
