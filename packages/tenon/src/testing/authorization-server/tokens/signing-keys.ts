/** The signing keys of the server. Made on first use, and rotated on demand. */
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
import { randomId } from "../../../base/bytes.ts";

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

  /** The key set that `jwks_uri` returns, the current key first. */
  async published(): Promise<JSONWebKeySet> {
    return { keys: (await this.#all()).map(({ publicJwk }) => publicJwk) };
  }

  /** Signs with a new key from now on. The old ones stay published unless `withdraw`. */
  async rotate(withdraw: boolean): Promise<void> {
    const before = withdraw ? [] : await this.#all();
    this.#keys = makeKey().then((key) => [key, ...before].slice(0, MAX_PUBLISHED));
    await this.#keys;
  }

  /** A JWT of these claims, signed with the current key. `typ` says what kind it is. */
  async sign(typ: string, claims: JWTPayload): Promise<string> {
    const { kid, privateKey } = (await this.#all())[0]!;
    return new SignJWT(claims).setProtectedHeader({ typ, alg: SIGNING_ALGORITHM, kid }).sign(privateKey);
  }

  /** The claims of a JWT of this type that a published key signed, expired or not; undefined for any other text. */
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
