/** Servers over HTTP that stop answering: no connection ends to say so. */
import { describe, expect, it } from "vitest";
import { connect, type JsonObject } from "tenon";
import { ServerUnavailableError } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { forgetful, scriptedHttp, type Reply, type Script } from "../http-client/scripted-http.ts";
import { observe, statesOf } from "./support.ts";

/** Longer than a circuit is broken, in ms. */
const COOL_DOWN = 36_000;

describe("A server over HTTP that stops responding", () => {
  const answers = (isDown: () => boolean): Script => {
    return ({ method, message }, reply) => {
      if (method !== "POST") return reply.text("", 405);
      const isProbe = message["method"] === "server/discover";
      if (isProbe) return reply.error(-32601);
      if (message["method"] === "initialize")
        return reply.result({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "h", version: "1" },
        });
      if (message["method"] === "tools/list") return reply.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
      if (message["id"] === undefined) return reply.text("", 202);
      if (isDown()) return reply.text("bad gateway", 502);
      return reply.result({ content: [{ type: "text", text: "here" }] });
    };
  };

  it("after five failures in a row nothing is sent any more; one probe brings it back [fault G6]", async () => {
    let isDown = true;
    const http = await scriptedHttp(answers(() => isDown));
    const clock = new VirtualClock();
    const { group, errors } = observe({ clock, readyTimeout: Infinity });
    await group.add({ h: http.url });
    for (let call = 0; call < 4; call++)
      expect(await failureOf(group.callTool("h__t"))).toMatchObject({ name: "HttpStatusError" });
    isDown = false;
    expect((await group.callTool("h__t")).text).toBe("here"); // the count begins again
    isDown = true;
    for (let call = 0; call < 5; call++)
      expect(await failureOf(group.callTool("h__t"))).toMatchObject({ name: "HttpStatusError" });
    await expect.poll(() => statesOf(group)).toEqual({ h: "broken" });
    expect(group.tools.size).toBe(0);
    expect(errors).toEqual([expect.stringContaining("h: ") as string]);
    const sent = http.requests.length;
    expect(await failureOf(group.callTool("h__t"))).toBeInstanceOf(ServerUnavailableError);
    expect(http.requests.length).toBe(sent);
    isDown = false;
    await expect
      .poll(async () => {
        await clock.advance(COOL_DOWN);
        return statesOf(group);
      })
      .toEqual({ h: "connected" });
    expect((await group.callTool("h__t")).text).toBe("here");
  });

  it.each([
    {
      what: "cuts the connection",
      fail: ({ response }: Reply) => void response.destroy(),
      name: "ConnectionLostError",
      state: "broken",
    },
    {
      what: "forgets the session",
      fail: (reply: Reply) => reply.error(-32001, 404, { id: null }),
      name: "SessionLostError",
      state: "connected",
    },
  ])("one that $what with each of five calls is $state then [fault G6]", async ({ fail, name, state }) => {
    const { script } = forgetful(({ message }, reply) => {
      if (message["method"] === "tools/call") return fail(reply);
      reply.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
    });
    const http = await scriptedHttp(script);
    const { group } = observe({ clock: new VirtualClock(), readyTimeout: Infinity });
    await group.add({ h: http.url });
    for (let call = 0; call < 5; call++) expect(await failureOf(group.callTool("h__t"))).toMatchObject({ name });
    expect(statesOf(group)).toEqual({ h: state });
  });

  it("an error of a tool, and a call that takes too long, do not count against the server [fault G6]", async () => {
    const http = await scriptedHttp(({ method, message }, reply) => {
      if (message["method"] !== "tools/call") return answers(() => false)({ method, message, path: "", headers: {} }, reply);
      const { arguments: args } = message["params"] as JsonObject;
      if (args === undefined) reply.error(-32000, 500);
    });
    const { group } = observe({ readyTimeout: Infinity });
    await group.add({ h: http.url });
    for (let call = 0; call < 8; call++)
      expect(await failureOf(group.callTool("h__t"))).toMatchObject({ code: -32000, message: "no" });
    for (let call = 0; call < 8; call++)
      expect(await failureOf(group.callTool("h__t", { slow: true }, { timeout: 5 }))).toMatchObject({ code: -32001 });
    expect(statesOf(group)).toEqual({ h: "connected" });
  });

  it("a session of the caller that stops responding is not closed, and is used again when it responds [fault G6]", async () => {
    let isDown = true;
    const http = await scriptedHttp(answers(() => isDown));
    const clock = new VirtualClock();
    const session = await connect(http.url);
    const { group } = observe({ clock });
    await group.connectWithSession({ name: "h", version: "1" }, session);
    for (let call = 0; call < 5; call++) await failureOf(group.callTool("h__t"));
    await expect.poll(() => statesOf(group)).toEqual({ h: "broken" });
    isDown = false;
    await expect
      .poll(async () => {
        await clock.advance(COOL_DOWN);
        return statesOf(group);
      })
      .toEqual({ h: "connected" });
    expect(group.sessions).toEqual([session]);
    await group.close();
    expect((await session.callTool("t")).text).toBe("here");
    await session.close();
  });

  it.each([401, 403])("a server that responds with %d wants other credentials, and gets no further attempt", async (status) => {
    const http = await scriptedHttp((_request, reply) => reply.text("who are you?", status));
    const { group } = observe({ readyTimeout: Infinity });
    await group.add({ h: http.url });
    expect(statesOf(group)).toEqual({ h: "closed" });
  });
});
