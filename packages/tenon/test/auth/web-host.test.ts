import { describe, expect, test } from "vitest";
import { connect } from "tenon";
import { AuthorizationRequiredError, MemoryStore, oauth, type UserLoginOptions } from "tenon/auth";
import { asked, authorizationServer, protect, type ProtectedServer } from "./support.ts";

describe("a web host: the user is sent away, and comes back to another request", () => {
  const callbackUrl = "https://app.example/oauth/callback";
  const away = (options: UserLoginOptions = {}): ReturnType<typeof oauth> => oauth({ callbackUrl, ...options });

  async function sentAway(server: ProtectedServer, auth: ReturnType<typeof oauth>): Promise<AuthorizationRequiredError> {
    const error: unknown = await connect(server.url, { auth }).catch((reason: unknown) => reason);
    if (!(error instanceof AuthorizationRequiredError))
      throw new Error(`Expected AuthorizationRequiredError, got ${String(error)}`);
    return error;
  }

  /** Where the user is sent back to. */
  async function visit(url: URL): Promise<URL> {
    return new URL((await fetch(url, { redirect: "manual" })).headers.get("location")!);
  }

  test("in two halves, of two processes that share a store [R15 M3.3]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    const error = await sentAway(server, away({ store }));
    expect(asked(as, "register")[0]?.body).toMatchObject({ application_type: "web", redirect_uris: [callbackUrl] });
    const callback = await visit(error.authorizationUrl);
    expect(callback.origin + callback.pathname).toBe(callbackUrl);
    expect((await away({ store }).finish(callback)).href).toBe(server.url);
    await using client = await connect(server.url, { auth: away({ store }) });
    expect((await client.callTool("echo")).text).toBe("{}");
    expect(asked(as, "register")).toHaveLength(1);
    await expect(away({ store }).finish(callback)).rejects.toMatchObject({ hop: "callback" });
    expect(asked(as, "token")).toHaveLength(1);
  });

  test("the error shows neither the page nor the state [fault O10]", async () => {
    const as = await authorizationServer();
    const error = await sentAway(await protect(as), away());
    const state = error.authorizationUrl.searchParams.get("state")!;
    const { inspect } = await import("node:util");
    expect(inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error) + error.stack).not.toContain(state);
  });

  test("a state of another user, or of no login, is refused before anything is sent [R15]", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const store = new MemoryStore();
    const callback = await visit((await sentAway(server, away({ store, account: "alice" }))).authorizationUrl);
    const before = as.requests.length;
    for (const auth of [away({ store, account: "bob" }), away({ store }), away()]) {
      await expect(auth.finish(callback)).rejects.toMatchObject({ hop: "callback" });
    }
    for (const search of ["", "?code=c", "?state=", "?state=x&code=c"]) {
      await expect(away({ store, account: "alice" }).finish(callbackUrl + search)).rejects.toMatchObject({
        hop: "callback",
        url: callbackUrl,
      });
    }
    expect(as.requests.length).toBe(before);
    await away({ store, account: "alice" }).finish(callback);
  });

  test("two who bring the same callback at once: one is logged in", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const auth = away();
    const callback = await visit((await sentAway(server, auth)).authorizationUrl);
    const outcomes = await Promise.allSettled([auth.finish(callback), auth.finish(callback)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(asked(as, "token")).toHaveLength(1);
  });

  test("the issuer that was checked before is the one that counts [M4.4]", async () => {
    const [as, evil] = [await authorizationServer(), await authorizationServer()];
    const server = await protect(as);
    const auth = away();
    const callback = await visit((await sentAway(server, auth)).authorizationUrl);
    server.guarding.metadata!["authorization_servers"] = [evil.issuer];
    callback.searchParams.set("iss", evil.issuer);
    await expect(auth.finish(callback)).rejects.toMatchObject({ hop: "callback" });
    expect(evil.requests).toEqual([]);
    expect(asked(as, "token")).toEqual([]);
  });

  test("a login that took too long is begun again", async () => {
    const as = await authorizationServer();
    const server = await protect(as);
    const auth = away({ loginTimeout: 1 });
    const callback = await visit((await sentAway(server, auth)).authorizationUrl);
    await expect(auth.finish(callback)).rejects.toMatchObject({
      hop: "callback",
      message: expect.stringContaining("took too long") as string,
    });
    expect(asked(as, "token")).toEqual([]);
  });
});
