/** The identity of this client at one authorization server, and how it authenticates (RFC 6749 section 2.3, RFC 7523 section 2.2). */
import type { JWK } from "jose";
import type { ClientAuth } from "oauth4webapi";

/** How a client authenticates at the token endpoint. */
export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";

/** A key that signs assertions. */
export interface SigningKey {
  /** The private key. Its algorithm is used to sign, and its usages must contain `"sign"`. */
  readonly key: CryptoKey;
  /** The key's name, if the authorization server needs one. */
  readonly kid?: string;
}

export interface OAuthClient {
  /** Undefined for grants without a client, such as workload identity. */
  readonly id: string | undefined;
  readonly method: ClientAuthMethod;
  readonly secret?: string;
  readonly key?: SigningKey;
}

/** Returns a function that adds the client's authentication to a token request. @throws TypeError if the client lacks its secret or key */
export async function clientAuthOf({ id, method, secret, key }: OAuthClient): Promise<ClientAuth> {
  const { ClientSecretPost, None, PrivateKeyJwt } = await import("oauth4webapi");
  if (id === undefined) return () => undefined;
  if (method === "none") return None();
  if (method === "private_key_jwt") {
    if (key === undefined) throw new TypeError("private_key_jwt needs a key");
    const assert = PrivateKeyJwt({ key: key.key, ...(key.kid !== undefined && { kid: key.kid }) });
    return async (server, client, body, headers) => {
      await assert(server, client, body, headers);
      body.delete("client_id"); // the assertion names it (RFC 7521 section 4.2)
    };
  }
  if (secret === undefined) throw new TypeError(`${method} needs a secret`);
  return method === "client_secret_basic" ? basic(secret) : ClientSecretPost(secret);
}

/**
 * Basic authentication (RFC 6749 section 2.3.1). The library's own also encodes `-`, `_` and `.`, which breaks servers that
 * compare without decoding.
 */
function basic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncoded(client.client_id)}:${formEncoded(secret)}`)}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/**
 * Reads a private key, for a client that signs its assertions.
 * @param key PKCS #8 in PEM, or a JWK
 * @param algorithm such as `"ES256"`; a JWK may say it itself
 * @throws TypeError if it is not such a key
 */
export async function importSigningKey(key: string | JWK, algorithm?: string, kid?: string): Promise<SigningKey> {
  const { importJWK, importPKCS8 } = await import("jose");
  const name = typeof key === "string" ? kid : (kid ?? key.kid);
  try {
    const imported = typeof key === "string" ? await importPKCS8(key, algorithm ?? "ES256") : await importJWK(key, algorithm);
    if (!(imported instanceof Uint8Array) && imported.type === "private")
      return { key: imported, ...(name !== undefined && { kid: name }) };
  } catch {
    // The library's error may quote the key.
  }
  throw new TypeError(`This is not a private key for ${algorithm ?? "the algorithm it names"}`);
}

/** Chooses how a client authenticates: as told, or else by the first method that the server supports; Basic if the server does not say. */
export function methodFor(told: unknown, hasSecret: boolean, supported: readonly string[] | undefined): ClientAuthMethod {
  if (told === "none" || told === "client_secret_basic" || told === "client_secret_post" || told === "private_key_jwt") return told;
  if (!hasSecret) return "none";
  const known = ["client_secret_basic", "client_secret_post", "none"] as const;
  return supported === undefined ? "client_secret_basic" : (known.find((method) => supported.includes(method)) ?? "client_secret_basic");
}
