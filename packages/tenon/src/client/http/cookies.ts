/**
 * The cookies of one endpoint, with which a load balancer leads the requests of a client to the same server. Loaded with the first
 * response that sets one.
 *
 * The rules of RFC 6265, for one origin: the client sends nothing to another one, so it needs no list of public suffixes. Cookies live as
 * long as the connection, at most. A browser keeps them itself, and shows none.
 */

/** Most cookies, and most characters of all that are sent, as names and values. The oldest go first. */
const [MAX_COOKIES, MAX_CHARACTERS] = [50, 8_192];

/** A name is a token; a value is visible ASCII without the semicolon, perhaps with spaces in it. */
const PAIR = /^[ \t]*([!#$%&'*+.^_`|~\w-]+)[ \t]*=[ \t]*([\x21-\x7E]?|[\x21-\x7E][\x20-\x7E]*[\x21-\x7E])[ \t]*$/;

/** A host that is an address has no names above it. */
const IS_ADDRESS = /^[\d.]+$|^\[/;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export class CookieJar {
  #cookies: readonly Cookie[] = [];

  /** Keeps what a response from that URL set. @param lines its `Set-Cookie` headers; @param now milliseconds since 1970 */
  keep(lines: readonly string[], url: URL, now: number): void {
    for (const line of lines) {
      const cookie = cookieOf(line, url, now);
      if (cookie === undefined) continue;
      const others = this.#cookies.filter(({ name, path, expires }) => expires > now && (name !== cookie.name || path !== cookie.path));
      this.#cookies = withinLimits(cookie.expires > now ? [...others, cookie] : others);
    }
  }

  /** The `Cookie` header of a request to that URL; undefined if there is none. */
  headerFor({ pathname }: URL, now: number): string | undefined {
    const sent = this.#cookies.filter(({ path, expires }) => expires > now && covers(path, pathname));
    if (sent.length === 0) return undefined;
    return sent
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }
}

function withinLimits(cookies: readonly Cookie[]): readonly Cookie[] {
  let characters = 0;
  const first = cookies.findLastIndex(({ name, value }) => (characters += name.length + value.length + 3) > MAX_CHARACTERS);
  return cookies.slice(Math.max(first + 1, cookies.length - MAX_COOKIES));
}

/** Undefined if the line sets no cookie that a later request to this origin may have. */
function cookieOf(line: string, url: URL, now: number): Cookie | undefined {
  const [pair = "", ...attributes] = line.split(";");
  const [, name, value] = PAIR.exec(pair) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const named = new Map(attributes.map(attributeOf));
  if (named.has("secure") && url.protocol !== "https:") return undefined;
  const domain = named.get("domain")?.replace(/^\./, "").toLowerCase() ?? "";
  if (domain !== "" && url.hostname !== domain && (IS_ADDRESS.test(url.hostname) || !url.hostname.endsWith(`.${domain}`))) return undefined;
  const path = named.get("path") ?? "";
  return { name, value, path: path.startsWith("/") ? path : directoryOf(url.pathname), expires: expiryOf(named, now) };
}

function attributeOf(text: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  return at < 0 ? [text.trim().toLowerCase(), ""] : [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

/** `Max-Age` has priority over `Expires`. What cannot be read counts as absent. */
function expiryOf(named: ReadonlyMap<string, string>, now: number): number {
  const seconds = named.get("max-age") ?? "";
  if (/^-?\d+$/.test(seconds)) return now + Number(seconds) * 1000;
  const date = Date.parse((named.get("expires") ?? "").replaceAll("-", " ")); // some write 01-Jan-2030
  return Number.isNaN(date) ? Infinity : date;
}

/** The path of a cookie that names none. */
function directoryOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

/** Whether a cookie of that path is sent to another one. */
function covers(path: string, requested: string): boolean {
  if (!requested.startsWith(path)) return false;
  return requested.length === path.length || path.endsWith("/") || requested[path.length] === "/";
}
