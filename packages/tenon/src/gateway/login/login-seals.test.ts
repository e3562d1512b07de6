/** The end of login links and of the cookies of a login, on a virtual clock. */
import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { PAGE_TTL } from "../../pages/page-seals.ts";
import { LoginSeals, type LoginLink } from "./login-seals.ts";

const KEY = "a key that all nodes of the gateway have";
const link: LoginLink = {
  id: "l1",
  issuer: "https://id.example",
  subject: "ada",
  server: "hub",
  url: "https://hub.example/mcp",
  principal: "ada",
  clientId: "ide",
  scope: undefined,
  metadata: undefined,
};
const state = { step: "consent", link, token: "t1" } as const;

test("a link and a cookie open until ten minutes after they were made, and not then, at any node", async () => {
  expect(PAGE_TTL).toBe(600_000);
  const clock = new VirtualClock();
  const [one, other] = [new LoginSeals([KEY], "gateway", clock), new LoginSeals([KEY], "gateway", clock)];
  const [text, cookie] = [await one.sealLink(link), await one.sealState(state)];
  await clock.advance(599_999);
  for (const seals of [one, other]) {
    expect(await seals.openLink(text)).toMatchObject({ id: "l1", principal: "ada" });
    expect(await seals.openState(cookie)).toMatchObject({ step: "consent", token: "t1" });
  }
  await clock.advance(1);
  for (const seals of [one, other])
    expect([await seals.openLink(text), await seals.openState(cookie)]).toEqual([undefined, undefined]);
});

test("a link is no cookie, a cookie no link, and neither is one of another gateway", async () => {
  const clock = new VirtualClock();
  const [mine, theirs] = [new LoginSeals([KEY], "gateway", clock), new LoginSeals([KEY], "other", clock)];
  const [text, cookie] = [await mine.sealLink(link), await mine.sealState(state)];
  expect([await mine.openState(text), await mine.openLink(cookie)]).toEqual([undefined, undefined]);
  expect([await theirs.openLink(text), await theirs.openState(cookie)]).toEqual([undefined, undefined]);
  for (const odd of ["", "v1.x.y", `${text}x`, "x".repeat(10_000)]) expect(await mine.openLink(odd)).toBeUndefined();
});
