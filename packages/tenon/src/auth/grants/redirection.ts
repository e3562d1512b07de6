/** How a user gets to the authorization server's page and back: with a browser on this machine, or through a web host. */

/** One login that has begun. */
export interface LoginPage {
  /** The URL that the authorization server sends the user back to. */
  readonly redirectUri: string;
  /**
   * Shows the page and waits until the user is back. Ignores callbacks with another `state`.
   * @returns the URL that the user came back to, with all parameters of the authorization server
   * @throws `signal.reason`
   */
  visit(page: URL, state: string, signal: AbortSignal): Promise<URL>;
  /** Stops listening for the user. */
  close(): Promise<void>;
}

/** How a user is sent to the login page and comes back: a part of `oauth()` that a host may replace. */
export interface Redirection {
  /**
   * Prepares a login, which may not take place.
   * @param previous the redirect URI of an earlier login. Use it again if possible, because it is registered
   */
  begin(previous: string | undefined, signal: AbortSignal): Promise<LoginPage>;
}

/** For web hosts: the user comes back to another request, perhaps of another process. */
export interface DeferredRedirection {
  readonly redirectUri: string;
}

/** Shows a page to the user. @param url always https:, or http: on this machine */
export type OpenPage = (url: URL, signal: AbortSignal) => void | Promise<void>;

/** The names of this machine that a redirect URI may have. */
export type CallbackHost = "127.0.0.1" | "localhost" | "::1";

/** A login with a browser on this machine. */
export interface LoopbackOptions {
  /** The port. Default: a free one, used again for later logins while it is free. */
  readonly port?: number;
  /** The name of this machine in the redirect URI. Default `"127.0.0.1"`. */
  readonly host?: CallbackHost;
  /** The path of the redirect URI. Default `"/callback"`. */
  readonly path?: string;
  /** Shows the page. Default: the system's browser. */
  readonly open?: OpenPage | undefined;
}
