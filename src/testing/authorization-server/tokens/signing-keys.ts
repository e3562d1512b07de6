/** The keys the server signs with, and publishes. Made when first needed, and again on demand. */
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
} from "jose";
import { randomId } from "../../../base/random-id.ts";

export const SIGNING_ALGORITHM = "ES256";
/** Public keys that stay published after rotations. */
const MAX_PUBLISHED = 8;

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export class SigningKeys {
  #keys: Promise<readonly SigningKey[]> | undefined;

  /** What `jwks_uri` answers with, the key in use first. */
  async published(): Promise<JSONWebKeySet> {
    return { keys: (await this.#all()).map(({ publicJwk }) => publicJwk) };
  }

  /** Signs from now on with a new key. The old ones stay published unless `withdraw`. */
  async rotate(withdraw: boolean): Promise<void> {
    const before = withdraw ? [] : await this.#all();
    this.#keys = makeKey().then((key) => [key, ...before].slice(0, MAX_PUBLISHED));
    await this.#keys;
  }

  /** A JWT of these claims, signed with the key in use. `typ` says what kind it is. */
  async sign(typ: string, claims: JWTPayload): Promise<string> {
    const { kid, privateKey } = (await this.#all())[0]!;
    return new SignJWT(claims).setProtectedHeader({ typ, alg: SIGNING_ALGORITHM, kid }).sign(privateKey);
  }

  /** The claims of a JWT of this type that one of the published keys signed, whatever its age; undefined for any other text. */
  async verify(jwt: string, typ: string): Promise<JWTPayload | undefined> {
    try {
      const keys = createLocalJWKSet(await this.published());
      const { protectedHeader } = await compactVerify(jwt, keys, { algorithms: [SIGNING_ALGORITHM] });
      return protectedHeader.typ === typ ? decodeJwt(jwt) : undefined;
    } catch {
      return undefined;
    }
  }

  #all(): Promise<readonly SigningKey[]> {
    return (this.#keys ??= makeKey().then((key) => [key]));
  }
}

async function makeKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(SIGNING_ALGORITHM);
  const kid = randomId();
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg: SIGNING_ALGORITHM, use: "sig" } };
}
