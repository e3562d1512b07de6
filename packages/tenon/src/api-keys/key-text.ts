/** The text of a key: a prefix that scanners of secrets know, an id, and 260 random bits. */

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH = 12;
const SECRET_LENGTH = 52;

/** The id of a text that has the form of a key with that prefix; undefined for others. */
export function idOf(text: string, prefix: string): string | undefined {
  if (text.length !== prefix.length + ID_LENGTH + SECRET_LENGTH + 2 || !text.startsWith(`${prefix}_`)) return undefined;
  const [id, secret, ...more] = text.slice(prefix.length + 1).split("_");
  return id?.length === ID_LENGTH && secret?.length === SECRET_LENGTH && more.length === 0 ? id : undefined;
}

export function newKey(prefix: string, id: string = randomText(ID_LENGTH)): { readonly id: string; readonly text: string } {
  return { id, text: `${prefix}_${id}_${randomText(SECRET_LENGTH)}` };
}

/** Five random bits for each character. */
function randomText(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => ALPHABET[byte & 31]).join("");
}
