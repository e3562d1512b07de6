// Programs of a company's employees, with Tenon's client and both official ones, against Tenon's authorization server: no page is shown.
import {
  Client as OfficialClient,
  CrossAppAccessProvider,
  requestJwtAuthorizationGrant,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { enterpriseManaged } from "tenon/auth";
import { CLIENT, JWT_BEARER, startCompany, type Company } from "./enterprise-support.ts";

/** The user's identity token, as a login at the company gave it to the program. */
const identity = ({ idp }: Company, aud = "at-idp"): Promise<string> =>
  idp.sign("JWT", { iss: idp.issuer, sub: "ada", aud, exp: Date.now() / 1_000 + 60 });

/** What `whoami` says. */
const scopesIn = (result: unknown): unknown =>
  JSON.parse((result as { content: [{ text: string }] }).content[0].text).scopes;

test("Tenon's client: enterpriseManaged() gets a token, and another for a tool that needs more", async () => {
  const company = await startCompany();
  const client = await connect(company.site.url, {
    auth: enterpriseManaged({
      issuer: company.site.origin,
      client: CLIENT,
      identityProvider: {
        tokenEndpoint: `${company.idp.issuer}/token`,
        client: { id: "at-idp", secret: "i" },
        subjectToken: () => identity(company),
      },
    }),
  });
  onTestFinished(() => client.close());
  expect(scopesIn(await client.callTool("whoami"))).toEqual(["notes:read"]);
  expect((await client.callTool("write")).content).toEqual([{ type: "text", text: "written" }]);
  expect(company.site.errors).toEqual([]);
});

test("the official client 2.x: CrossAppAccessProvider gets a token", async () => {
  const company = await startCompany();
  const authProvider = new CrossAppAccessProvider({
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret!,
    assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: `${company.idp.issuer}/token`,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: await identity(company, "at-idp-2"),
        clientId: "at-idp-2",
        clientSecret: "i",
        ...(scope !== undefined && { scope }),
        fetchFn,
      });
      return jwtAuthGrant;
    },
  });
  const client = new OfficialClient({ name: "official", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(company.site.url), { authProvider }));
  onTestFinished(() => client.close());
  expect(scopesIn(await client.callTool({ name: "whoami", arguments: {} }))).toEqual(["notes:read"]);
  expect(company.site.errors).toEqual([]);
});

test("the official client 1.x: a provider whose token request holds the assertion gets a token", async () => {
  const company = await startCompany();
  const assertion = await company.assertion();
  class Assertion extends ClientCredentialsProvider {
    override prepareTokenRequest(scope?: string): URLSearchParams {
      return new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...(scope !== undefined && { scope }) });
    }
  }
  const authProvider = new Assertion({ clientId: CLIENT.id, clientSecret: CLIENT.secret!, expectedIssuer: company.site.origin });
  const client = new OlderClient({ name: "official", version: "1.0.0" });
  await client.connect(new OlderTransport(new URL(company.site.url), { authProvider }) as never); // their types differ in undefined
  onTestFinished(() => client.close());
  expect(scopesIn(await client.callTool({ name: "whoami", arguments: {} }))).toEqual(["notes:read"]);
  expect(company.site.errors).toEqual([]);
});
