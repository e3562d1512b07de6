/** The texts in which a secret can stand in what a handler sends: itself, and as URLs, JSON and Base64 have it. */
import { toBase64 } from "../base/bytes.ts";

/** Shorter secrets are not looked for, because they are in other texts too. */
const SHORTEST = 6;
const SIX_BITS = 6;

/** The texts to look for, the longest first; none if the secret is too short. */
export function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const forms = [secret, percentEncoded(secret), inForm, JSON.stringify(secret).slice(1, -1), ...base64Of(secret)];
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // half a character has no such form
  }
}

/** Base64 of a longer text has the secret at one of three places among its groups of three bytes. Both alphabets. */
function base64Of(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  return [0, 1, 2].flatMap((before) => {
    const all = new Uint8Array(before + bytes.length);
    all.set(bytes, before);
    // Only the characters that depend on nothing but the secret.
    const whole = toBase64(all).slice(Math.ceil((before * 8) / SIX_BITS), Math.floor((all.length * 8) / SIX_BITS));
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
