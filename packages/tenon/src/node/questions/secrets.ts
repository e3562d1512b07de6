/**
 * Finds fields of a form that look as if they ask for a secret. A server must use a page for secrets, because a form passes through the
 * client (MCP 2025-11-25, Elicitation, Security). The words are a guess: they find careless forms, not clever ones.
 */
import type { ElicitRequestFormParams } from "../../protocol/elicitation.ts";

const PLAIN = "pass ?words?|pass ?phrases?|pass ?codes?|passwd|pwd|secret keys?|client secrets?|api ?keys?|access ?keys?|private ?keys?";
const CARDS = "credit ?cards?|card numbers?|cvv|cvc|seed phrases?|recovery phrases?|one time (?:code|password)s?";
/** In the message and in descriptions, where single words often mean something else. */
const IN_SENTENCES = new RegExp(`\\b(?:${PLAIN}|${CARDS})\\b`);
/** In names and titles. */
const IN_NAMES = new RegExp(`\\b(?:${PLAIN}|${CARDS}|secrets?|tokens?|credentials?|pin|pin ?codes?|otp|totp|mnemonic|ssn)\\b`);

/** What looks like a secret: the name of the first such field, or "message"; undefined if nothing does. */
export function secretIn({ message, requestedSchema }: ElicitRequestFormParams): string | undefined {
  for (const [name, { title = "", description = "" }] of Object.entries(requestedSchema.properties))
    if (IN_NAMES.test(words(name)) || IN_NAMES.test(words(title)) || IN_SENTENCES.test(words(description))) return name;
  return IN_SENTENCES.test(words(message)) ? "message" : undefined;
}

/** Lower-case words with single spaces between them: `apiKey`, `API_KEY` and `api-key` become `api key`. */
function words(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase();
}
