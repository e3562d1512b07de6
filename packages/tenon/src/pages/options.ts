/** The options of `userPages()`, and their defaults. */
import type { PageRequest } from "../dispatch/acceptor.ts";
import type { OpenPage } from "../auth/grants/redirection.ts";
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { assertSealingKeys, type SealingKey } from "../session/asking/options.ts";
import { checkTtl } from "../state/options.ts";
import type { UserName } from "../state/owner.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { assertBrowserIdentity, browserIdentityKeys, type BrowserIdentityOptions } from "./browser-identity.ts";
import { assertPageUrl } from "./page-url.ts";

/** How much one user may have. */
export interface UserPagesLimits {
  /** Pages with a question that are open or not used yet. Default 20, at most 1 000. */
  readonly maxPages?: number;
  /** Secrets, and pages that ask for one. Default 50, at most 1 000; all together have 1 000 000 bytes. */
  readonly maxSecrets?: number;
}

/** Options of {@link userPages}. */
export interface UserPagesOptions {
  /**
   * The URL of the pages, as browsers reach them: `https://example.com/ask`. The HTTP endpoint of the server serves them, under the same
   * path. Needs `identityProvider`, `identify` or both. Default: none, and then only users of this machine are asked (stdio, in process).
   */
  readonly url?: string;
  /** Where browsers show whose they are: the identity provider of the callers' tokens. With `identify`, a browser that it does not know as the user's logs in there. */
  readonly identityProvider?: BrowserIdentityOptions;
  /**
   * Says whose a browser is: by the cookie of your own site, for example. Users with API keys, or of another issuer than the
   * `identityProvider`, need it. Returns the principal or the issuer and the subject, as for `forget()`, or undefined if no user is logged in.
   * Security: pages of a user are shown to this user only.
   */
  readonly identify?: (request: PageRequest) => MaybePromise<UserName | undefined>;
  /**
   * The keys that seal links and secrets: the first seals, all open. Default: the keys of the server's `requestState`, else a random key of this
   * process, which only a store in this process can have. A secret whose key was removed is asked for again.
   */
  readonly keys?: readonly SealingKey[];
  /** Where secrets and pages are kept, such as the `keyed` of `redisStores()`. Default: as for `state()`. */
  readonly store?: KeyedStore;
  /** Milliseconds in which a page can be answered, and a yes to be used after it. Default 600 000 (10 minutes). */
  readonly ttl?: number;
  /** Milliseconds for which a secret is kept. Default 31 536 000 000 (365 days); at most 10 years. */
  readonly secretTtl?: number;
  /** How much one user may have. Default: see each limit. */
  readonly limits?: UserPagesLimits;
  /** Shows a page to a user of this machine, if the client cannot. Security: it must not pass the URL to a shell. Default: the system's browser. */
  readonly open?: OpenPage;
}

const LIMITS: NumberTable<UserPagesLimits> = { maxPages: [20, 1], maxSecrets: [50, 1] };
const MOST = 1_000;
const PAGE = 600_000;
const YEAR = 31_536_000_000;

export function userPagesKeys(): OptionKeys<UserPagesOptions> {
  const identityProvider = browserIdentityKeys();
  return { url: 1, identityProvider, identify: 1, keys: 1, store: 1, ttl: 1, secretTtl: 1, limits: LIMITS, open: 1 };
}

export interface UserPagesSettings extends UserPagesOptions {
  readonly ttl: number;
  readonly secretTtl: number;
  readonly limits: Required<UserPagesLimits>;
}

export function checkUserPages(options: UserPagesOptions): UserPagesSettings {
  const { url, identityProvider, identify, keys, ttl = PAGE, secretTtl = YEAR } = options;
  if (url !== undefined) assertPageUrl("url", url);
  if (identityProvider !== undefined) assertBrowserIdentity("identityProvider", identityProvider);
  if (url !== undefined && identityProvider === undefined && identify === undefined)
    throw new TypeError(
      'userPages() with "url" needs "identityProvider" or "identify": the user who opens a link must be the user who is asked',
    );
  if (identify !== undefined && typeof identify !== "function")
    throw new TypeError('Option "identify" of userPages() must be a function that says whose a browser is');
  if (keys !== undefined) assertSealingKeys(keys, "keys");
  const limits = withPresets<UserPagesLimits>(LIMITS, options.limits, "limits") as Required<UserPagesLimits>; // with all names of the table
  for (const [name, value] of Object.entries(limits))
    if (value > MOST) throw new RangeError(`Option "limits.${name}" must be at most ${MOST}, not ${value}`);
  return { ...options, ttl: checkTtl("ttl", ttl), secretTtl: checkTtl("secretTtl", secretTtl), limits };
}
