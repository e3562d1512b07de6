// Programs of a company's employees, with Tenon's client and both official ones,
// against Tenon's authorization server: no page is shown.
import { expect, onTestFinished, test } from "vitest";
import { connect } from "tenon";
import { enterpriseManaged } from "tenon/auth";
import { CLIENT, startCompany, type Company } from "./enterprise-support.ts";
// @ts-ignore -- the types of the official client 2.x do not compile here
import { callWithNewest, callWithOlder } from "./fixtures/official-enterprise.mjs";

/** The user's identity token, as a login at the company gave it to the program. */
const identity = ({ idp }: Company, aud = "at-idp"): Promise<string> =>
  idp.sign("JWT", { iss: idp.issuer, sub: "ada", aud, exp: Date.now() / 1_000 + 60 });

const scopesIn = (whoami: string): unknown => (JSON.parse(whoami) as { scopes: unknown }).scopes;

test("Tenon's client: enterpriseManaged() gets a token, and another for a tool that needs more", async () => {
  const company = await startCompany();
  const client = await connect(company.site.url, {
    auth: enterpriseManaged({
      issuer: company.site.origin,
      client: { id: CLIENT.id, secret: CLIENT.secret! },
      identityProvider: {
        tokenEndpoint: `${company.idp.issuer}/token`,
        client: { id: "at-idp", secret: "i" },
        subjectToken: () => identity(company),
      },
    }),
  });
  onTestFinished(() => client.close());
  expect(scopesIn((await client.callTool("whoami")).text)).toEqual(["notes:read"]);
  expect((await client.callTool("write")).text).toBe("written");
  expect(company.site.errors).toEqual([]);
});

test("the official client 2.x: CrossAppAccessProvider gets a token", async () => {
  const company = await startCompany();
  const idToken = await identity(company, "at-idp-2");
  const idp = { tokenEndpoint: `${company.idp.issuer}/token`, idToken, clientId: "at-idp-2", clientSecret: "i" };
  expect(scopesIn(await callWithNewest(company.site.url, CLIENT, idp))).toEqual(["notes:read"]);
  expect(company.site.errors).toEqual([]);
});

test("the official client 1.x: a provider whose token request holds the assertion gets a token", async () => {
  const company = await startCompany();
  const proof = { issuer: company.site.origin, assertion: await company.assertion() };
  expect(scopesIn(await callWithOlder(company.site.url, CLIENT, proof))).toEqual(["notes:read"]);
  expect(company.site.errors).toEqual([]);
});
