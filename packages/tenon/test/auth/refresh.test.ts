import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connect, type Client } from "tenon";
import { MemoryStore, type AuthProvider, type AuthStore } from "tenon/auth";
import type { RunningAuthorizationServer } from "tenon/testing";
import { asked, authorizationServer, browse, login, open, protect, type ProtectedServer } from "./support.ts";
import { gate } from "../support/gate.ts";

const MINUTE = 60_000;

interface Scene {
  readonly as: RunningAuthorizationServer;
  readonly server: ProtectedServer;
  readonly store: Recording;
  readonly client: Client;
}

/** A user who has logged in. */
async function loggedIn(
  options: Parameters<typeof login>[0] = {},
  settings: Parameters<typeof authorizationServer>[0] = {},
): Promise<Scene> {
  const as = await authorizationServer(settings);
  const server = await protect(as);
  const store = new Recording();
  return { as, server, store, client: await open(server, { store, ...options }) };
}

/** The name of the only record of a kind. */
function recordOf(store: Recording, kind: string): string {
  const keys = [...store.keys].filter((key) => key.startsWith(`["${kind}"`));
  if (keys.length !== 1) throw new Error(`There are ${keys.length} records of that kind`);
  return keys[0]!;
}

/** A store that knows the names of its records. */
class Recording extends MemoryStore {
  readonly keys = new Set<string>();

  override set(...[key, record, expiresAt]: Parameters<MemoryStore["set"]>): void {
    this.keys.add(key);
    super.set(key, record, expiresAt);
  }
}

/** The token in use is refused from now on. */
function expire({ server }: Scene): void {
  server.guarding.expired.add(server.tokens().at(-1)!);
}

/** Time as the clock on the wall: `Date` only, so that sockets and timers run as ever. */
function wallClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => void vi.setSystemTime(Date.now() + ms);
}

describe("a token that is refused is refreshed, once [M5.3 fault O7]", () => {
  test("and the call is repeated, without a user [M4.2]", async () => {
    const scene = await loggedIn();
    expire(scene);
    expect((await scene.client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
    expect(asked(scene.as, "token").map(({ parameters }) => parameters["grant_type"])).toEqual([
      "authorization_code",
      "refresh_token",
    ]);
    expect(asked(scene.as, "token", "refresh_token")[0]?.parameters).toMatchObject({ resource: scene.server.url });
    expect(asked(scene.as, "token", "refresh_token")[0]?.parameters).not.toHaveProperty("scope");
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test("eight calls at a time cause one refresh and no login; fifty as well", async () => {
    const scene = await loggedIn();
    for (const count of [8, 50]) {
      expire(scene);
      const before = asked(scene.as, "token").length;
      const results = await Promise.all(Array.from({ length: count }, (_, index) => scene.client.callTool("echo", { index })));
      expect(results.map(({ text }) => text)).toEqual(Array.from({ length: count }, (_, index) => JSON.stringify({ index })));
      expect(asked(scene.as, "token").length - before).toBe(1);
    }
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test("several clients that share a store share the refresh; who comes later takes what is there", async () => {
    const scene = await loggedIn();
    const others = await Promise.all(Array.from({ length: 4 }, () => open(scene.server, { store: scene.store })));
    expire(scene);
    await Promise.all([scene.client, ...others].flatMap((client) => [client.callTool("echo"), client.callTool("echo")]));
    expect(asked(scene.as, "token")).toHaveLength(2);
    expect(asked(scene.as, "authorize")).toHaveLength(1);
    expect(asked(scene.as, "register")).toHaveLength(1);
  });

  test("the old refresh token stays if the response has no new one", async () => {
    const scene = await loggedIn({}, { refreshTokens: "keep" });
    scene.as.settings.alterResponse = (answer, { parameters }) => {
      if (parameters["grant_type"] !== "refresh_token") return answer;
      const { refresh_token: _, ...rest } = answer;
      return rest;
    };
    for (let round = 0; round < 3; round++) {
      expire(scene);
      await scene.client.callTool("echo");
    }
    const tokens = asked(scene.as, "token", "refresh_token").map(({ parameters }) => parameters["refresh_token"]);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test("a refresh may name the scope again, for issuers that want it", async () => {
    const scene = await loggedIn({ scope: "read write", scopeOnRefresh: true });
    expire(scene);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")[0]?.parameters).toMatchObject({ scope: "read write" });
  });
});

describe("a refresh token that is refused [fault O7]", () => {
  test("because the response that replaced it was lost: one login, and it is not tried again", async () => {
    const scene = await loggedIn();
    // Somebody else uses it, so that what the client has is spent.
    const spent = scene.store.get(recordOf(scene.store, "tokens"))?.["refreshToken"] as string;
    const clientId = asked(scene.as, "token")[0]!.parameters["client_id"] as string;
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: spent, client_id: clientId });
    expect((await fetch(`${scene.as.issuer}/token`, { method: "POST", body })).status).toBe(200);

    expire(scene);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token").map(({ status }) => status)).toEqual([200, 400]);
    expect(asked(scene.as, "authorize")).toHaveLength(2);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token")).toHaveLength(4);
  });

  test("by an issuer that is down is an error of this call, not a login", async () => {
    const scene = await loggedIn();
    scene.as.settings.before = ({ endpoint }) => (endpoint === "token" ? 503 : undefined);
    expire(scene);
    await expect(scene.client.callTool("echo")).rejects.toMatchObject({ hop: "refresh", url: `${scene.as.issuer}/token` });
    scene.as.settings.before = undefined;
    await scene.client.callTool("echo");
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test("in a store without a lock another process may have used it: its tokens are used", async () => {
    const shared = new MemoryStore();
    const lockless: AuthStore = {
      get: (key) => shared.get(key),
      set: (key, record, expiresAt) => shared.set(key, record, expiresAt),
      delete: (key) => shared.delete(key),
      lock: (_, work) => work(new AbortController().signal),
    };
    const scene = await loggedIn({ store: lockless });
    const other = await open(scene.server, { store: lockless });
    expire(scene);
    const { opened: first, open: refreshed } = gate();
    // The second refresh arrives when the first has been answered and kept.
    scene.as.settings.before = async ({ parameters }) => {
      if (parameters["grant_type"] === "refresh_token" && asked(scene.as, "token", "refresh_token").length > 1) await first;
    };
    const calls = [scene.client.callTool("echo"), other.callTool("echo")];
    await Promise.race(calls);
    refreshed();
    await Promise.all(calls);
    expect(asked(scene.as, "token", "refresh_token").map(({ status }) => status)).toEqual([200, 400]);
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test("of a client the issuer does not know any more: it registers again and logs in", async () => {
    const scene = await loggedIn();
    for (const kind of ["client", "tokens"]) {
      const key = recordOf(scene.store, kind);
      const record = scene.store.get(key)!;
      scene.store.set(key, { ...record, [kind === "client" ? "id" : "clientId"]: "forgotten" });
    }
    expire(scene);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token").map(({ parameters, status }) => [parameters["client_id"], status])).toEqual([
      ["forgotten", 401],
    ]);
    expect([asked(scene.as, "register").length, asked(scene.as, "authorize").length]).toEqual([2, 2]);
  });
});

describe("before a token expires", () => {
  test("it is replaced five minutes ahead, by one of the calls that need it [M5.3]", async () => {
    const pass = wallClock();
    const scene = await loggedIn({}, { accessTokenLifetime: 60 * MINUTE });
    pass(54 * MINUTE);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(0);
    pass(2 * MINUTE);
    await Promise.all(Array.from({ length: 8 }, () => scene.client.callTool("echo")));
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(1);
    expect(scene.server.sent.filter(({ status }) => status === 401)).toHaveLength(1);
  });

  test("one that lives for less than ten minutes at half its time", async () => {
    const pass = wallClock();
    const scene = await loggedIn({}, { accessTokenLifetime: 2 * MINUTE });
    pass(MINUTE + 1_000);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(1);
  });

  test("an issuer that is down changes nothing while the token is valid", async () => {
    const pass = wallClock();
    const scene = await loggedIn({}, { accessTokenLifetime: 60 * MINUTE });
    scene.as.settings.before = ({ endpoint }) => (endpoint === "token" ? 503 : undefined);
    pass(56 * MINUTE);
    await scene.client.callTool("echo");
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(1); // and no more for a while
    scene.as.settings.before = undefined;
    pass(MINUTE);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(2);
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });

  test.each(["invalid_grant", "invalid_request"] as const)(
    "a refresh token that is refused as %s leads to a login of the same client [FD-82]",
    async (code) => {
      const scene = await loggedIn();
      scene.as.settings.refuse = ({ endpoint, parameters }) =>
        endpoint === "token" && parameters["grant_type"] === "refresh_token" ? { code, description: "expired" } : undefined;
      expire(scene);
      await scene.client.callTool("echo");
      expect(asked(scene.as, "authorize")).toHaveLength(2);
      expect(asked(scene.as, "register")).toHaveLength(1);
    },
  );

  test("a refresh token that is refused then opens no page: the access token is used up first", async () => {
    const pass = wallClock();
    const scene = await loggedIn({}, { accessTokenLifetime: 60 * MINUTE, refreshTokenLifetime: MINUTE });
    pass(56 * MINUTE);
    await scene.client.callTool("echo");
    await scene.client.callTool("echo");
    expect(asked(scene.as, "token", "refresh_token")).toHaveLength(1);
    expect(asked(scene.as, "authorize")).toHaveLength(1);
    expire(scene);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "authorize")).toHaveLength(2);
  });
});

describe("clocks that disagree by five minutes", () => {
  test.each([-5, 5])("ours is %d minutes off: no call fails, and no user logs in again", async (minutes) => {
    const skew = minutes * MINUTE;
    const pass = wallClock();
    let theirs = Date.now();
    const scene = await loggedIn({}, { accessTokenLifetime: 60 * MINUTE, clock: () => theirs });
    pass(skew);
    for (let hour = 0; hour < 4; hour++) {
      await scene.client.callTool("echo");
      pass(20 * MINUTE);
      theirs += 20 * MINUTE;
    }
    await scene.client.callTool("echo");
    expect(asked(scene.as, "authorize")).toHaveLength(1);
    expect(asked(scene.as, "token", "refresh_token").length).toBeGreaterThanOrEqual(1);
  });

  test("a server that counts a token as expired five minutes early is believed", async () => {
    const scene = await loggedIn();
    expire(scene);
    await scene.client.callTool("echo");
    expect(asked(scene.as, "authorize")).toHaveLength(1);
  });
});

/** A provider, and how many refused calls have been handed to it. A call waits for the login as soon as it is counted. */
function counted(provider: AuthProvider): { auth: AuthProvider; waiting: () => number } {
  let count = 0;
  const authorizerFor: AuthProvider["authorizerFor"] = (url) => {
    const authorizer = provider.authorizerFor(url);
    const settle: typeof authorizer.settle = (response, request) => {
      const settled = authorizer.settle(response, request);
      if (response.status === 401) count++;
      return settled;
    };
    return { sign: (request, to) => authorizer.sign(request, to), settle };
  };
  return { auth: { authorizerFor }, waiting: () => count };
}

describe("who waits for a login", () => {
  /** A server that nobody is logged in to, and a page that is answered when the test says so. */
  async function loginPage(): Promise<{
    client: Client;
    opened: URL[];
    refused: () => number;
    aborted: () => boolean;
    answer: () => Promise<void>;
  }> {
    const as = await authorizationServer({ refreshTokens: "never" });
    const server = await protect(as);
    const opened: URL[] = [];
    let signal: AbortSignal | undefined;
    let isFirst = true;
    const provider = login({
      open: async (url, abort) => {
        if (isFirst) {
          isFirst = false;
          return browse(url, abort);
        }
        opened.push(url);
        signal = abort;
      },
    });
    const { auth, waiting } = counted(provider);
    const client = await connect(server.url, { auth, revision: "2026-07-28" });
    onTestFinished(() => client.close());
    server.guarding.expired.add(server.tokens()[0]!);
    const before = waiting();
    return {
      client,
      opened,
      refused: () => waiting() - before,
      aborted: () => signal?.aborted === true,
      answer: async () => browse(opened[0]!, new AbortController().signal),
    };
  }

  test("a caller may cancel, also the first one: the others get the token, and one page is opened", async () => {
    const { client, opened, refused, answer, aborted } = await loginPage();
    const abort = new AbortController();
    const first = client.callTool("echo", {}, { signal: abort.signal }).catch((error: unknown) => error);
    await expect.poll(() => opened).toHaveLength(1);
    const second = client.callTool("echo", { a: 2 }).catch((error: unknown) => error);
    await expect.poll(() => refused()).toBe(2);
    abort.abort(new Error("enough"));
    expect(await first).toMatchObject({ message: "enough" });
    expect(aborted()).toBe(false);
    await answer();
    expect(await second).toMatchObject({ text: '{"a":2}' });
    expect(opened).toHaveLength(1);
  });

  test("gives it up when the last of them has left", async () => {
    const { client, opened, aborted } = await loginPage();
    const abort = new AbortController();
    const calls = [1, 2].map(() => client.callTool("echo", {}, { signal: abort.signal }).catch((error: unknown) => error));
    await expect.poll(() => opened).toHaveLength(1);
    abort.abort(new Error("enough"));
    for (const call of calls) expect(await call).toMatchObject({ message: "enough" });
    await expect.poll(() => aborted()).toBe(true);
  });
});

test("the end of a session asks no user to log in", async () => {
  const as = await authorizationServer({ refreshTokens: "never" });
  const server = await protect(as);
  const client = await connect(server.url, { auth: login(), revision: "2025-11-25" });
  await client.callTool("echo");
  server.guarding.expired.add(server.tokens()[0]!);
  await client.close();
  expect(server.sent.filter(({ method }) => method === "DELETE").map(({ status }) => status)).toEqual([401]);
  expect(asked(as, "authorize")).toHaveLength(1);
});

test("tokens outlive the client: the next one neither logs in nor registers", async () => {
  const scene = await loggedIn();
  await scene.client.close();
  const again = await open(scene.server, { store: scene.store });
  await again.callTool("echo");
  expect([asked(scene.as, "authorize").length, asked(scene.as, "register").length]).toEqual([1, 1]);
});

test("a store that fails is a clear error, and this process keeps its token", async () => {
  const shared = new MemoryStore();
  let isFull = false;
  const store: AuthStore = {
    get: (key) => shared.get(key),
    set: (key, record, expiresAt) => {
      if (isFull) throw new Error("No space left");
      shared.set(key, record, expiresAt);
    },
    delete: (key) => shared.delete(key),
    lock: (key, work, signal) => shared.lock(key, work, signal),
  };
  const scene = await loggedIn({ store });
  expire(scene);
  isFull = true;
  await expect(scene.client.callTool("echo")).rejects.toMatchObject({
    hop: "store",
    message: expect.stringContaining("did not keep") as string,
  });
  await scene.client.callTool("echo");
  expect(asked(scene.as, "authorize")).toHaveLength(1);
});
