/** An MCP server whose users log in at a provider of the test authorization server, and a user with a browser. */
import { onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { bearer, oauth, type BearerOptions, type OAuthProvider, type OpenPage, type UserLoginOptions } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import {
  startAuthorizationServer,
  type ProviderProfile,
  type RecordedRequest,
  type RunningAuthorizationServer,
  type StartAuthorizationServerOptions,
} from "tenon/testing";
import { freePort } from "../../../../scripts/free-port.mjs";

export interface ProviderWorld {
  readonly as: RunningAuthorizationServer;
  /** The MCP endpoint. */
  readonly url: string;
  /** Logs in, and calls a tool that says who the user is and what the token allows. */
  readonly use: (provider: OAuthProvider, tool?: string) => Promise<string>;
  /** The requests to an endpoint of the provider. */
  readonly asked: (endpoint: string, grant?: string) => readonly RecordedRequest[];
}

export interface ProviderOptions {
  readonly server?: StartAuthorizationServerOptions;
  /** The options of the MCP server's `bearer()`. `issuer` is the provider's name as its metadata say it. */
  readonly bearer?: Partial<BearerOptions>;
  /** The name of the provider in the metadata of the MCP server. Default: its own. */
  readonly nameOf?: (issuer: string) => string;
}

/** A provider, and a protected server beside it, until the test ends. */
export async function providerWorld(
  profile: ProviderProfile | undefined,
  { server = {}, bearer: more = {}, nameOf = (issuer) => issuer }: ProviderOptions = {},
): Promise<ProviderWorld> {
  const as = await startAuthorizationServer({ ...(profile !== undefined && { profile }), ...server });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  as.settings.defaultAudience ??= url;
  const mcp = new McpServer({ name: "notes", version: "1.0.0" });
  mcp.tool("who", {}, (_input, { auth }) => `${auth?.subject}: ${(auth?.scopes ?? []).join(" ")}`);
  mcp.tool("write", { scopes: ["write"] }, (_input, { auth }) => `written with ${(auth?.scopes ?? []).join(" ")}`);
  const served = await serveHttp(mcp, {
    port,
    auth: bearer({ issuer: nameOf(as.issuer), audience: url, allowLoopback: true, ...more }),
  });
  onTestFinished(async () => {
    await served.close();
    await as.close();
  });
  const use = async (provider: OAuthProvider, tool = "who"): Promise<string> => {
    const client: Client = await connect(url, { auth: provider });
    try {
      return (await client.callTool(tool)).text;
    } finally {
      await client.close();
    }
  };
  const asked = (endpoint: string, grant?: string): readonly RecordedRequest[] =>
    as.requests.filter((one) => one.endpoint === endpoint && (grant === undefined || one.parameters["grant_type"] === grant));
  return { as, url, use, asked };
}

/** A user with a browser: goes to the page and wherever it leads, back to the program in the end. */
export const browse: OpenPage = async (page, signal) => {
  await (await fetch(page, { signal })).text();
};

export function login(options: UserLoginOptions = {}): OAuthProvider {
  return oauth({ open: browse, ...options });
}
