// google() as the login behind an authorization server: the profile of the test
// server has no registration, opaque tokens and a secret.
import { expect, onTestFinished, test } from "vitest";
import { google } from "tenon/auth/providers";
import { startAuthorizationServer } from "tenon/testing";
import { decodeJwt } from "jose";
import { FetchBrowser, logIn, redeem, reserve, startSite, webClient } from "./support.ts";

test("a user logs in at Google, and is another user than the one with the same number elsewhere", async () => {
  const reserved = await reserve();
  const as = await startAuthorizationServer({
    profile: "google",
    clients: [{ client_id: "1234.apps", client_secret: "s", redirect_uris: [`${reserved.origin}/callback`] }],
    subject: "10769150350006150715113082367",
  });
  onTestFinished(() => as.close());
  const known = google({ clientId: "1234.apps", clientSecret: "s" });
  const users: unknown[] = [];
  const site = await startSite(
    reserved,
    { ...known, issuer: as.issuer },
    { allowUser: ({ issuer, subject }) => users.push([issuer, subject]) > 0 },
  );
  const client = await webClient(site);
  const back = await logIn(site, new FetchBrowser(), { client_id: client, scope: "notes:read", resource: site.url });
  const { body } = await redeem(site, client, back.get("code")!);
  const token = decodeJwt(String(body["access_token"]));
  expect(token).toMatchObject({ aud: site.url, scope: "notes:read" });
  expect(token.sub).not.toContain("10769150350006150715113082367");
  expect(users).toContainEqual([as.issuer, "10769150350006150715113082367"]);
  expect(as.requests.filter(({ endpoint }) => endpoint === "register")).toEqual([]);
});
