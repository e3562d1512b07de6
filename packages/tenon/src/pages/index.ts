/** `tenon/pages`: pages at which users answer what their client cannot ask, and the secrets that they give there. */
export { userPages } from "./user-pages.ts";
export { secrets, type Secrets, type SecretsOptions } from "./secrets.ts";
export { PageError } from "./page-error.ts";
export type { UserPagesLimits, UserPagesOptions } from "./options.ts";
export type { BrowserIdentityOptions } from "./browser-identity.ts";
export type { UserPages } from "../session/asking/user-pages.ts";
export type { PageRequest } from "../dispatch/acceptor.ts";
