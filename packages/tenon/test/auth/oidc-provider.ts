/**
 * `oidc-provider` on loopback, with the user of `browse` in front of its pages: an authorization server that Tenon's authors did
 * not write, and that holds a client to the scopes it registered.
 */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import type { OpenPage } from "tenon/auth";

export interface Provider {
  readonly issuer: string;
  /** The bodies of the registrations, in order. */
  readonly registrations: Record<string, unknown>[];
  /** The `scope` of each authorization request, in order. */
  readonly asked: (string | null)[];
  /** The scopes of an access token. */
  readonly scopesOf: (token: string) => Promise<readonly string[] | undefined>;
}

/** What a grant of one's own gets. */
export interface GrantContext {
  readonly oidc: { readonly client: { readonly clientId: string }; readonly params: Readonly<Record<string, unknown>> };
  body: unknown;
  status: number;
}

/** What is used of the package, which has no types. */
interface Package {
  readonly default: new (
    issuer: string,
    configuration: object,
  ) => {
    readonly AccessToken: { find(token: string): Promise<{ scope?: string } | undefined> };
    registerGrantType(
      name: string,
      handler: (context: GrantContext) => Promise<void>,
      parameters: readonly string[],
      lists: readonly string[],
    ): void;
    readonly on: (event: string, listener: (context: { oidc: { body: Record<string, unknown> } }) => void) => void;
    callback(): RequestListener;
  };
}

/** How it stands for a provider that people have. */
export interface AsProvider {
  /** The path of its issuer. Default: none. */
  readonly path?: string;
  /** Issues JWTs, which name this audience, or else the requested resource. Default: opaque tokens. */
  readonly jwtFor?: "resource" | { readonly audience: string };
  /** More of the package's configuration. */
  readonly more?: object;
  /** Changes it before it is served. */
  readonly extend?: (provider: InstanceType<Package["default"]>) => void;
  /** Its private keys. Default: those that the package has for tests. */
  readonly jwks?: object;
}

/** @param scopes those it supports */
export async function oidcProvider(
  scopes: readonly string[],
  { path = "", jwtFor, more, extend, jwks }: AsProvider = {},
): Promise<Provider> {
  // Node has it since 22.1, and the package counts on it.
  Object.assign(URL, {
    parse: (text: string, base?: string) => (URL.canParse(text, base) ? new URL(text, base) : null),
  });
  // It says what to change before it is used for more than a test.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockReturnValue();
  // @ts-expect-error -- the package has no types
  const { default: OidcProvider }: Package = await import("oidc-provider");
  const asked: (string | null)[] = [];
  let handle: RequestListener = () => undefined;
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (url.pathname === `${path}/auth`) asked.push(url.searchParams.get("scope"));
    // It is mounted below the path, as a framework mounts it.
    if (path !== "") Object.assign(request, { originalUrl: request.url, url: request.url?.replace(path, "") });
    handle(request, response);
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${path}`; // it listens on a port
  const provider = new OidcProvider(issuer, {
    scopes: [...scopes, "offline_access"],
    cookies: { keys: ["test"] },
    clientBasedCORS: () => false,
    ...(jwks !== undefined && { jwks }),
    ...more,
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: scopes.join(" "),
          accessTokenFormat: jwtFor === undefined ? "opaque" : "jwt",
          ...(typeof jwtFor === "object" && jwtFor),
        }),
        useGrantedResource: () => true,
      },
    },
  });
  const registrations: Record<string, unknown>[] = [];
  provider.on("registration_create.success", ({ oidc }) => void registrations.push(oidc.body));
  extend?.(provider);
  handle = provider.callback();
  const scopesOf = async (token: string): Promise<readonly string[] | undefined> =>
    (await provider.AccessToken.find(token))?.scope?.split(" ") ?? undefined;
  return { issuer, registrations, asked, scopesOf };
}

/** A user who logs in, agrees to whatever is asked, and is led back to the program. */
export const agree: OpenPage = async (page, signal) => {
  await visit(String(page), { signal });
};

/** The same; `until` is where the program waits, which is not called. Returns what the program is sent. */
export async function visit(
  page: string,
  { until, signal }: { readonly until?: string; readonly signal?: AbortSignal | undefined } = {},
): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let url = page;
  let form: string | undefined;
  for (let steps = 0; steps < 20; steps++) {
    if (until !== undefined && url.startsWith(until)) return new URL(url).searchParams;
    const response = await fetch(url, {
      redirect: "manual",
      ...(signal && { signal }),
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    if (location !== null) [url, form] = [new URL(location, url).href, undefined];
    else if (text.includes("<form")) [url, form] = filledIn(text, url);
    else return new URL(url).searchParams;
  }
  throw new Error("The authorization server leads nowhere");
}

/** Where the form of a page is sent, and what is in it. */
function filledIn(html: string, page: string): [url: string, form: string] {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? page;
  const prompt = /name="prompt" value="([^"]*)"/.exec(html)?.[1] ?? "";
  return [new URL(action, page).href, new URLSearchParams({ prompt, login: "ada", password: "x" }).toString()];
}
