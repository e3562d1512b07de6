/** How a user gets to the authorization server's page and back: a browser on this machine, or a host of one's own. */

/** One login on its way. */
export interface LoginPage {
  /** Where the authorization server sends the user back to. */
  readonly redirectUri: string;
  /**
   * Shows the page and waits until the user is back. What comes back with another `state` is none of it, and ignored.
   * @returns the URL the user came back to, with everything the authorization server put there
   * @throws `signal.reason`
   */
  visit(page: URL, state: string, signal: AbortSignal): Promise<URL>;
  /** Nobody waits any more. */
  close(): Promise<void>;
}

/** How a user is sent to the login page and comes back: a part of `oauth()` that a host may replace. */
export interface Redirection {
  /**
   * Makes ready for a login, before anybody knows whether there will be one.
   * @param previous the redirect URI of an earlier login, to be used again if possible: it is the one that is registered
   */
  begin(previous: string | undefined, signal: AbortSignal): Promise<LoginPage>;
}

/** The user comes back to another request, perhaps of another process: for web hosts. */
export interface DeferredRedirection {
  readonly redirectUri: string;
}

/** Shows a page to the user. @param url always https:, or http: on this machine */
export type OpenPage = (url: URL, signal: AbortSignal) => void | Promise<void>;
