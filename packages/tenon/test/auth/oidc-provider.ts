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

/** What is used of the package, which has no types. */
interface Package {
  readonly default: new (
    issuer: string,
    configuration: object,
  ) => {
    readonly AccessToken: { find(token: string): Promise<{ scope?: string } | undefined> };
    readonly on: (event: string, listener: (context: { oidc: { body: Record<string, unknown> } }) => void) => void;
    callback(): RequestListener;
  };
}

/** @param scopes those it supports */
export async function oidcProvider(scopes: readonly string[]): Promise<Provider> {
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
    if (url.pathname === "/auth") asked.push(url.searchParams.get("scope"));
    handle(request, response);
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`; // it listens on a port
  const provider = new OidcProvider(issuer, {
    scopes: [...scopes, "offline_access"],
    cookies: { keys: ["test"] },
    clientBasedCORS: () => false,
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: scopes.join(" "), accessTokenFormat: "opaque" }),
        useGrantedResource: () => true,
      },
    },
  });
  const registrations: Record<string, unknown>[] = [];
  provider.on("registration_create.success", ({ oidc }) => void registrations.push(oidc.body));
  handle = provider.callback();
  const scopesOf = async (token: string): Promise<readonly string[] | undefined> =>
    (await provider.AccessToken.find(token))?.scope?.split(" ") ?? undefined;
  return { issuer, registrations, asked, scopesOf };
}

/** A user who logs in, agrees to whatever is asked, and is led back to the program. */
export const agree: OpenPage = async (page, signal) => {
  const cookies = new Map<string, string>();
  let url = String(page);
  let form: string | undefined;
  for (let steps = 0; steps < 20; steps++) {
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
    else return;
  }
  throw new Error("The authorization server leads nowhere");
};

/** Where the form of a page is sent, and what is in it. */
function filledIn(html: string, page: string): [url: string, form: string] {
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? page;
  const prompt = /name="prompt" value="([^"]*)"/.exec(html)?.[1] ?? "";
  return [new URL(action, page).href, new URLSearchParams({ prompt, login: "ada", password: "x" }).toString()];
}
