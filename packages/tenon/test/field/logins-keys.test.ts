// Keys with which anyone could sign are left out when a key set is read.
import { generateKeyPairSync } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "tenon";
import { bearer, type Authorized, type Refusal } from "tenon/auth";

const ISSUER = "https://login.example";
const AUDIENCE = "https://mcp.example/mcp";

async function world(
  keys: (sound: JsonObject) => readonly JsonObject[],
): Promise<(kid: string) => Promise<Authorized | Refusal>> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const set = keys({ ...(await exportJWK(publicKey)), kid: "sound", alg: "ES256" });
  const auth = bearer({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUri: `${ISSUER}/keys`,
    fetch: () => Promise.resolve(Response.json({ keys: set })),
  });
  return async (kid) => {
    const token = await new SignJWT({ sub: "ann", client_id: "app" })
      .setProtectedHeader({ alg: kid === "sound" ? "ES256" : "RS256", kid })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setExpirationTime("1h")
      .sign(kid === "sound" ? privateKey : generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
    const header = (name: string): string | undefined => (name === "authorization" ? `Bearer ${token}` : undefined);
    return auth.authorize({ method: "POST", url: "/mcp", header });
  };
}

const RSA = {
  ...(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" }) as JsonObject),
  kid: "weak",
};

describe("a key set with a weak key [FD-52]", () => {
  test.each([
    ["an exponent of 1", { ...RSA, e: "AQ" }, "exponent 1"],
    ["an exponent of 3", { ...RSA, e: "Aw" }, "exponent 3"],
    ["an exponent of 65535", { ...RSA, e: "__8" }, "exponent 65535"],
    ["its private part", { ...RSA, d: "AQAB" }, "private part"],
  ])("%s: its other keys are used, and a token of this one is refused with the reason", async (_what, weak, reason) => {
    const ask = await world((sound) => [weak, sound]);
    expect(await ask("sound")).toMatchObject({ auth: { subject: "ann" } });
    const refused = await ask("weak");
    expect(refused).toMatchObject({ status: 401, reason: { message: expect.stringContaining(reason) as string } });
    expect(JSON.stringify((refused as Refusal).headers)).not.toContain("exponent");
  });

  test("only weak keys: nothing can be verified, and the operator learns why", async () => {
    const ask = await world(() => [{ ...RSA, e: "AQ" }]);
    expect(await ask("weak")).toMatchObject({
      status: 503,
      reason: { cause: { hop: "keys", problem: expect.stringContaining("exponent 1") as string } },
    });
  });
});
