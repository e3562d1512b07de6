// Callers of a configuration file when the file changes: what was revoked ends, and what stays is not disturbed.
import { expect, it } from "vitest";
import type { Authorized } from "tenon/auth";
import { CallerTokens } from "./caller-tokens.ts";

const ADA = { token: "ada-token-0123456789", groups: ["sales"] };
const BO = { token: "bo-token-0123456789ab", groups: ["support"], scopes: ["write"] };

function admitted(callers: CallerTokens, token: string): Authorized {
  const url = "/mcp";
  const header = (name: string): string | undefined => (name === "authorization" ? `Bearer ${token}` : undefined);
  const decision = callers.authorize({ method: "POST", url, header });
  if (!("auth" in decision)) return expect.fail(`refused with ${decision.status}`);
  return decision;
}

it("streams of a caller end when its token is removed, or it gets other groups, scopes or another name", () => {
  for (const next of [
    {},
    { ada: { ...ADA, groups: [] } },
    { ada: { ...ADA, scopes: ["write"] } },
    { eve: ADA },
    { ada: { ...ADA, token: BO.token } },
  ]) {
    const callers = new CallerTokens([]);
    callers.set({ ada: ADA });
    const { ended } = admitted(callers, ADA.token);
    expect(ended?.aborted).toBe(false);
    callers.set(next);
    expect(ended?.aborted, JSON.stringify(next)).toBe(true);
  }
});

it("a caller of whom the file says the same stays, and so do its streams", () => {
  const callers = new CallerTokens([]);
  callers.set({ ada: ADA, bo: BO });
  const before = admitted(callers, BO.token);
  callers.set({ bo: { ...BO } });
  expect(admitted(callers, BO.token)).toBe(before);
  expect(before.ended?.aborted).toBe(false);
});
