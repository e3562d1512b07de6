/** The key that signs access tokens. The first node makes it and keeps it in the store, sealed; all others read it. */
import type { JWK } from "jose";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Records } from "./records.ts";

export const SIGNING_ALGORITHM = "ES256";
const KEY = "signing keys";
/** Milliseconds that the key is kept after a node started last. */
const LIFETIME = 3 * 365 * 24 * 60 * 60_000;

export async function signingKeys(records: Records): Promise<{ readonly keys: readonly JWK[] }> {
  for (;;) {
    const entry = await records.read(KEY);
    if (entry !== undefined) {
      await records.renew(KEY, entry.version, LIFETIME);
      return entry.value as unknown as { keys: JWK[] }; // this function wrote it
    }
    await records.swap(KEY, undefined, { keys: [await generate()] }, LIFETIME); // if another node was faster, its key is read
  }
}

async function generate(): Promise<JsonObject> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import("jose");
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg: SIGNING_ALGORITHM, use: "sig", kid: await calculateJwkThumbprint(jwk) };
}
