/**
 * `tenon doctor --provider`: whether a provider is set up for an MCP server, as far as its metadata, its keys and a token show it, and the step
 * in its console that is missing. It changes nothing, and sends no token anywhere but to the server.
 */
import { GuardedFetch, LOGIN_GUIDES, PROVIDER_GUIDES, type LoginGuide, type ProviderGuide, type TypedOptions } from "tenon/internal";
import { serverOf } from "../connection/typed-server.ts";
import { ANSWER_TIMEOUT } from "../connection/diagnosis.ts";
import { UsageError } from "../failure.ts";
import { timeoutOf, type Invocation, type Outcome } from "../invocation.ts";
import { loginSettingsOf } from "../login/login-options.ts";
import { didYouMean } from "../typing-mistakes.ts";
import { discoveryHops, type DiscoveryFindings } from "./discovery-hops.ts";
import { loginHops, providerHops, type Examined } from "./provider-hops.ts";
import { reportOf } from "./report.ts";
import { subjectOf } from "./subject.ts";
import { Walk } from "./walk.ts";

export async function walkToProvider(invocation: Invocation): Promise<Outcome> {
  const { provider: name = "", arg } = invocation.values;
  const guide: Guide = { ...guideOf(name), typed: typedOptions(arg) };
  const isNamed = invocation.positionals.length > 0 || invocation.words !== undefined || invocation.values.config !== undefined;
  return isNamed ? atServer(guide, invocation) : atIssuer(guide, invocation);
}

type Guide = NamedGuide & { readonly typed: TypedOptions };
type NamedGuide = { readonly name: string } & ({ readonly provider: ProviderGuide } | { readonly login: LoginGuide });

function guideOf(typed: string): NamedGuide {
  const known = [...Object.keys(PROVIDER_GUIDES), ...Object.keys(LOGIN_GUIDES)];
  // However it is spelt: better-auth, Auth0.
  const name = known.find((each) => plain(each) === plain(typed));
  if (name === undefined)
    throw new UsageError(`There is no provider ${JSON.stringify(typed)}.${didYouMean(typed, known)} There are: ${known.join(", ")}.`);
  const provider = PROVIDER_GUIDES[name];
  return provider === undefined ? { name, login: LOGIN_GUIDES[name]! } : { name, provider }; // it is a key of one of both
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function typedOptions(typed: readonly string[] = []): TypedOptions {
  return Object.fromEntries(
    typed.map((pair): [string, string | string[]] => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--arg ${JSON.stringify(pair)} must be option=value, such as audience=api://default.`);
      return [name, name === "clientIds" ? value.split(/[ ,]+/) : value];
    }),
  );
}

/** Looks at the server first: it says which issuer it trusts. */
async function atServer(guide: Guide, invocation: Invocation): Promise<Outcome> {
  const { server: typed, values } = await serverOf(invocation, []);
  if (!("url" in typed)) throw new UsageError("--provider is for a server that is a URL: a program has no login.");
  const found = { ...invocation, values };
  const server = new URL(typed.url);
  server.hash = "";
  const subject = await subjectOf(server, found);
  const walk = new Walk(invocation.terminal, invocation.signal, subject.left);
  const discovered = await discoveryHops(walk, subject);
  const token = subject.typed === undefined ? subject.stored?.accessToken : subject.typed.replace(/^(?:bearer|dpop) +/i, "");
  await hopsOf(guide, walk, {
    ...{ documents: subject.documents, invocation: found, discovered, token, fetching: subject.settings },
    ...{ server: discovered.resource?.resource ?? server.href, isRunning: true },
  });
  return reportOf(server.origin + server.pathname, walk, "Nothing is broken, as far as it can be seen from here.");
}

/** Without a server only the provider is looked at. */
async function atIssuer(guide: Guide, invocation: Invocation): Promise<Outcome> {
  const { values, shell, signal, terminal } = invocation;
  const { issuer, ...settings } = loginSettingsOf(values, shell.env);
  if (issuer === undefined && values.arg === undefined && "provider" in guide)
    throw new UsageError(`Name the server, or the issuer: --issuer ${JSON.stringify(guide.provider.form)}`);
  const begin = performance.now();
  const timeout = timeoutOf(values) ?? ANSWER_TIMEOUT;
  const walk = new Walk(terminal, signal, () => timeout - (performance.now() - begin));
  const documents = new GuardedFetch({ ...settings, fetchTimeout: timeout }, issuer === undefined ? undefined : new URL(issuer));
  const discovered = {
    open: undefined,
    failure: undefined,
    isReachable: false,
    challenge: undefined,
    resource: undefined,
    issuer: undefined,
  };
  await hopsOf(guide, walk, {
    ...{ documents, invocation, discovered, token: undefined, fetching: settings },
    ...{ server: "https://your-server.example/mcp", isRunning: false },
  });
  return reportOf(issuer ?? guide.name, walk, "Nothing is broken, as far as it can be seen without the MCP server.");
}

function hopsOf(
  guide: Guide,
  walk: Walk,
  examined: Omit<Examined, "name" | "typed"> & { readonly discovered: DiscoveryFindings },
): Promise<void> {
  const { name, typed } = guide;
  return "provider" in guide
    ? providerHops(walk, guide.provider, { ...examined, name, typed })
    : loginHops(walk, guide.login, { ...examined, name, typed });
}
