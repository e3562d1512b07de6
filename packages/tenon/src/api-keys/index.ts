/** `tenon/auth/keys`: API keys for programs without a login, kept as hashes in the stores that there are. */
export { apiKeys, type ApiKeys, type MintedKey } from "./api-keys.ts";
export type { ApiKey, NewKey } from "./key-records.ts";
export type { ApiKeysOptions } from "./options.ts";
