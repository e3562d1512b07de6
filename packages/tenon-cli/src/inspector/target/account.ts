/** How a server is logged in to. Each function resolves with what has happened, for people. */
export interface Account {
  /** @param open receives the page that the user must visit */
  login(open: (page: URL) => Promise<void>, signal: AbortSignal): Promise<string>;
  logout(signal: AbortSignal): Promise<string>;
}
