/** Servers that hang, die and come back: each for itself, and never at the expense of another. */
import { describe, expect, it } from "vitest";
import { McpUsageError } from "tenon";
import { AuthorizationError, AuthorizationRequiredError } from "tenon/auth";
import { ClientSessionGroup, ServerUnavailableError } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { grouped, observe, Outpost, serverWith, statesOf } from "./support.ts";

/** The longest pause between two attempts at first, and that of a broken circuit, in ms. */
const FIRST_PAUSE = 1_000;
const COOL_DOWN = 36_000;

describe("One server does not hold up the others", () => {
  it("servers that hang or fail are left out, with the reason [fault G1]", async () => {
    const hanging = new Outpost("hanging", "t");
    hanging.refusal = "hang";
    const failing = new Outpost("failing", "t");
    failing.refusal = new Error("no room");
    const clock = new VirtualClock();
    const { group, errors } = observe({ clock, readyTimeout: 1_500, connectTimeout: 4_000 });
    let isReady = false;
    const ready = group
      .add({ hanging: hanging.target, failing: failing.target, good: serverWith("good", "t") })
      .then(() => (isReady = true));
    await expect.poll(() => statesOf(group)["good"]).toBe("connected");
    await clock.advance(1_499);
    expect(isReady).toBe(false);
    expect(statesOf(group)["hanging"]).toBe("connecting");
    expect((await group.callTool("good__t")).text).toBe("good.t");
    await clock.advance(1);
    await ready;
    expect(failing.attempts).toBeGreaterThan(0);
    expect(errors[0]).toBe("failing: no room");
    await clock.advance(2_500);
    await group.settled();
    expect(group.servers.get("hanging")).toMatchObject({ state: "waiting", failures: 1 });
    expect(group.servers.get("hanging")?.error?.message).toBe(
      'Server "hanging" did not answer within 4000 ms (option "connectTimeout")',
    );
  });

  it("connecting is over as soon as no server is waited for, and can be waited for to the end [fault G1]", async () => {
    const clock = new VirtualClock();
    const { group } = await grouped({ a: serverWith("a", "t"), b: serverWith("b", "t") }, { clock });
    expect(statesOf(group)).toEqual({ a: "connected", b: "connected" });
    const slow = new Outpost("slow", "t");
    const late = async () => {
      await new Promise((resolve) => clock.setTimer(3_000, () => resolve(undefined)));
      return slow.target();
    };
    await Promise.all([group.add({ slow: late }), clock.advance(1_500)]);
    expect(statesOf(group)["slow"]).toBe("connecting");
    await Promise.all([group.settled(), clock.advance(1_500)]);
    await expect.poll(() => statesOf(group)["slow"]).toBe("connected");
  });

  it("a call of a server that is still connecting waits for it, as long as the call may take [fault G1]", async () => {
    const clock = new VirtualClock();
    const slow = new Outpost("slow", "t");
    const late = async () => {
      await new Promise((resolve) => clock.setTimer(3_000, () => resolve(undefined)));
      return slow.target();
    };
    const { group } = observe({ clock, readyTimeout: 0 });
    const hanging = new Outpost("hanging");
    hanging.refusal = "hang";
    await Promise.all([group.add({ slow: late, hanging: hanging.target }), clock.advance(0)]);
    const patient = group.callTool("slow__t");
    const hasty = failureOf(group.callTool("slow__t", {}, { timeout: 1_000 }));
    const abort = new AbortController();
    const abandoned = group.callTool("slow__t", {}, { signal: abort.signal });
    abort.abort(new Error("never mind"));
    await expect(abandoned).rejects.toThrow("never mind");
    await clock.advance(1_000);
    expect(await hasty).toMatchObject({ name: "ServerUnavailableError", server: "slow", state: "connecting" });
    await clock.advance(2_000);
    expect((await patient).text).toBe("slow.t");
  });

  it("`connect` can be abandoned, and closes everything then [fault G1]", async () => {
    const post = new Outpost("post", "t");
    const hanging = new Outpost("hanging");
    hanging.refusal = "hang";
    const abort = new AbortController();
    const connecting = ClientSessionGroup.connect({ post: post.target, hanging: hanging.target }, { signal: abort.signal });
    await expect.poll(() => post.connections).toBe(1);
    abort.abort(new Error("enough"));
    await expect(connecting).rejects.toThrow("enough");
    await expect.poll(() => post.connections).toBe(0);
  });
});

describe("A server that is lost", () => {
  it("loses its components at once, keeps its names, and gets them back [SG-30 fault G6]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const { group, changes, errors } = await grouped({ post: post.target, other: serverWith("other", "t") }, { clock });
    const session = group.sessions[0]!;
    changes.length = 0;
    post.die();
    await turn();
    expect([...group.tools.keys()]).toEqual(["other__t"]);
    const error = await failureOf(group.callTool("post__t"));
    expect(error).toBeInstanceOf(ServerUnavailableError);
    expect(error).toMatchObject({
      code: -32000,
      message: 'Server "post" is not connected (waiting): Connection closed',
      data: { server: "post", state: "waiting" },
    });
    await clock.advance(FIRST_PAUSE);
    await expect.poll(() => [...group.tools.keys()]).toEqual(["post__t", "other__t"]);
    expect((await group.callTool("post__t")).text).toBe("post.t");
    expect(group.sessions[0]).not.toBe(session);
    expect(errors).toEqual(["post: Connection closed"]);
    expect(changes).toEqual([
      { kind: "list", server: "post", list: "tools", added: [], removed: ["post__t"], changed: [] },
      { kind: "server", server: "post", state: "waiting" },
      { kind: "server", server: "post", state: "connecting" },
      { kind: "server", server: "post", state: "connected" },
      { kind: "list", server: "post", list: "tools", added: ["post__t"], removed: [], changed: [] },
    ]);
    await group.disconnect(session); // the session it had stands for it still
    expect(group.servers.has("post")).toBe(false);
  });

  it("calls under way fail, and none is made again [fault G6]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post");
    let calls = 0;
    post.server.tool("wait", {}, () => {
      calls++;
      return new Promise<string>(() => undefined);
    });
    const { group } = await grouped({ post: post.target }, { clock });
    const pending = Array.from({ length: 100 }, () => failureOf(group.callTool("post__wait")));
    await turn();
    post.die();
    for (const error of await Promise.all(pending)) expect(error).toMatchObject({ code: -32000 });
    await clock.advance(FIRST_PAUSE);
    await expect.poll(() => statesOf(group)).toEqual({ post: "connected" });
    expect(calls).toBe(100);
  });

  it("no other server can take its names while it is away [fault G2]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const { group } = await grouped({ post: post.target }, { clock, nameHook: (name) => name });
    post.die();
    await turn();
    expect(await failureOf(group.connectToServer(serverWith("impostor", "t")))).toMatchObject({ code: -32602 });
    await clock.advance(FIRST_PAUSE);
    expect((await group.callTool("t")).text).toBe("post.t");
  });

  it("is tried later and later, then left alone, then probed one attempt at a time [fault G6]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const { group, errors } = await grouped({ post: post.target }, { clock });
    post.refusal = new Error("down");
    post.die();
    await turn();
    // Five attempts, after pauses of at most 1, 2, 4, 8 and 16 s.
    await clock.advance(31_000);
    expect(post.attempts).toBe(1 + 5);
    await expect.poll(() => statesOf(group)).toEqual({ post: "broken" });
    expect(group.servers.get("post")).toMatchObject({ failures: 6, session: undefined });
    expect(await failureOf(group.callTool("post__t"))).toMatchObject({
      message: 'Server "post" is not connected (broken): down',
    });
    await clock.advance(COOL_DOWN);
    const probes = post.attempts - 6;
    expect(probes).toBeGreaterThanOrEqual(1);
    expect(probes).toBeLessThanOrEqual(3);
    expect(statesOf(group)).toEqual({ post: "broken" });
    post.refusal = undefined;
    await clock.advance(COOL_DOWN);
    await expect.poll(() => statesOf(group)).toEqual({ post: "connected" });
    expect((await group.callTool("post__t")).text).toBe("post.t");
    expect(new Set(errors)).toEqual(new Set(["post: Connection closed", "post: down"]));
  });

  it("one that comes back only to be lost again is broken all the same [fault G6]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const { group } = await grouped({ post: post.target }, { clock });
    const stop = group.onChange((change) => {
      if (change.kind === "server" && change.state === "connected") setImmediate(() => post.die());
    });
    post.die();
    await clock.advance(31_000);
    await expect.poll(() => statesOf(group)).toEqual({ post: "broken" });
    expect(post.attempts).toBe(1 + 5);
    stop();
    await clock.advance(COOL_DOWN);
    await expect.poll(() => statesOf(group)).toEqual({ post: "connected" });
    await clock.advance(10_000);
    post.die();
    await turn();
    expect(statesOf(group)).toEqual({ post: "waiting" }); // what held for a while begins with short pauses again
  });

  it("is not tried again if the option forbids it, or it cannot succeed", async () => {
    const quitter = new Outpost("quitter", "t");
    const { group } = await grouped({
      quitter: { target: quitter.target, reconnect: false },
      wrong: { url: "ftp://example.com" },
      program: { command: "a\0b" },
    });
    expect(statesOf(group)).toEqual({ quitter: "connected", wrong: "closed", program: "closed" });
    expect(group.servers.get("wrong")?.error).toBeInstanceOf(TypeError);
    quitter.die();
    await expect.poll(() => statesOf(group)["quitter"]).toBe("closed");
    expect(quitter.attempts).toBe(1);
    await group.connectToServer(serverWith("x", "t"), { name: "other" });
    expect(await failureOf(group.callTool("quitter__t"))).toBeInstanceOf(ServerUnavailableError);
  });

  it.each([new TypeError("no"), new RangeError("no"), new McpUsageError("no")])(
    "a program's own mistake is not tried again: %s",
    async (mistake) => {
      const post = new Outpost("post", "t");
      post.refusal = mistake;
      const { group } = await grouped({ post: post.target }, { clock: new VirtualClock() });
      expect(statesOf(group)).toEqual({ post: "closed" });
      expect(group.servers.get("post")?.error).toBe(mistake);
    },
  );

  it("a server its user has to log in to waits for that, and is connected when they have", async () => {
    const post = new Outpost("post", "t");
    const clock = new VirtualClock();
    const { group } = await grouped({ post: post.target, x: serverWith("x", "t") }, { clock });
    post.refusal = new AuthorizationRequiredError(new URL("https://as.example"), new URL("https://as.example/login?state=1"));
    post.die();
    await clock.advance(FIRST_PAUSE);
    await expect.poll(() => statesOf(group)).toEqual({ post: "closed", x: "connected" });
    expect(group.servers.get("post")?.error).toBe(post.refusal);
    expect(post.attempts).toBe(2);
    post.refusal = undefined;
    await group.reconnect("post");
    expect((await group.callTool("post__t")).text).toBe("post.t");
  });

  it("an authorization server that cannot be reached is a server that may come back", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const details = { hop: "token", url: "https://as.example", problem: "unreachable", remedy: "Wait." } as const;
    post.refusal = new AuthorizationError(details);
    const { group } = await grouped({ post: post.target }, { clock });
    expect(statesOf(group)).toEqual({ post: "waiting" });
    post.refusal = new AuthorizationError({ ...details, error: "invalid_grant" });
    await clock.advance(1_000);
    await expect.poll(() => statesOf(group)).toEqual({ post: "closed" });
  });

  it("a transport that was given open ends with its server", async () => {
    const post = new Outpost("post", "t");
    const { group } = await grouped({ post: post.target() });
    post.die();
    await expect.poll(() => statesOf(group)).toEqual({ post: "closed" });
    await expect(group.reconnect("post")).rejects.toThrow(McpUsageError);
  });
});

describe("Connecting again on request", () => {
  it("happens at once in every state, and reports its outcome", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    post.refusal = new Error("down");
    const { group } = await grouped({ post: post.target }, { clock, reconnect: false });
    expect(statesOf(group)).toEqual({ post: "closed" });
    await expect(group.reconnect("post")).rejects.toThrow("down");
    post.refusal = undefined;
    const first = await group.reconnect("post");
    expect(group.sessions).toEqual([first]);
    const second = await group.reconnect("post");
    expect(group.sessions).toEqual([second]);
    await first.closed;
    expect(post.connections).toBe(1);
    expect(await failureOf(group.reconnect("nobody"))).toMatchObject({ code: -32602 });
  });

  it("waits for the attempt that is under way, the first one too", async () => {
    const post = new Outpost("post", "t");
    const { group } = observe();
    const joining = group.connectToServer(post.target, { name: "post" });
    const again = group.reconnect("post");
    expect(await again).toBe(await joining);
    expect(post.attempts).toBe(1);
    const other = new Outpost("other", "t");
    other.refusal = new Error("down");
    const failing = group.connectToServer(other.target, { name: "other" });
    const waiting = group.reconnect("other");
    await expect(failing).rejects.toThrow("down");
    await expect(waiting).rejects.toThrow("down");
  });

  it("ends a pause, and a circuit that is broken", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post", "t");
    const { group } = await grouped({ post: post.target }, { clock });
    post.refusal = new Error("down");
    post.die();
    await clock.advance(31_000);
    await expect.poll(() => statesOf(group)).toEqual({ post: "broken" });
    post.refusal = undefined;
    await group.reconnect("post");
    expect(statesOf(group)).toEqual({ post: "connected" });
  });
});

describe("Leaving the group", () => {
  it("calls under way may end first; the change is announced once, and no more calls are made [fault G11]", async () => {
    const post = new Outpost("post");
    let finish: (text: string) => void = () => undefined;
    post.server.tool("slow", {}, () => new Promise<string>((resolve) => (finish = resolve)));
    const { group, changes } = await grouped({ post: post.target });
    const call = group.callTool("post__slow");
    await turn();
    changes.length = 0;
    const gone = group.disconnect("post");
    expect(await failureOf(group.callTool("post__slow"))).toMatchObject({ message: "Unknown tool: post__slow" });
    expect(post.connections).toBe(1);
    finish("done");
    expect((await call).text).toBe("done");
    await gone;
    expect(post.connections).toBe(0);
    expect(changes.filter(({ kind }) => kind === "list")).toEqual([
      { kind: "list", server: "post", list: "tools", added: [], removed: ["post__slow"], changed: [] },
    ]);
  });

  it("but not for ever [fault G11]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("post");
    post.server.tool("never", {}, () => new Promise<string>(() => undefined));
    const { group } = await grouped({ post: post.target }, { clock });
    const call = failureOf(group.callTool("post__never"));
    await turn();
    const gone = group.disconnect("post", { drain: 300 });
    await clock.advance(299);
    expect(post.connections).toBe(1);
    await clock.advance(1);
    await gone;
    expect(await call).toMatchObject({ code: -32000 });
    await expect(group.disconnect("post", { drain: -1 })).rejects.toThrow(RangeError);
  });

  it("closing leaves no timer, in every state of the servers [XT-20]", async () => {
    const clock = new VirtualClock();
    const posts = ["up", "down", "hanging"].map((name) => new Outpost(name, "t"));
    posts[1]!.refusal = new Error("down");
    posts[2]!.refusal = "hang";
    const { group } = observe({ clock });
    const adding = group.add(Object.fromEntries(posts.map((post) => [post.server.info.name, post.target])));
    await clock.advance(1_500);
    await adding;
    await group.close();
    await turn();
    expect(clock.pending).toBe(0);
    expect(posts.map(({ connections }) => connections)).toEqual([0, 0, 0]);
  });
});
