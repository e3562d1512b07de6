/** Sessions that somebody else opened: taken into a group, and never closed by it. */
import { describe, expect, it, onTestFinished } from "vitest";
import { acceptorOf, ClientSession, connect, createDirectPair, McpServer, McpUsageError, type Client } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { observe, serverWith } from "./support.ts";
import { testServer } from "../support/test-server.ts";

describe("A session that is lent", () => {
  const lend = (server: McpServer): Promise<Client> => closing(connect(server));

  it("is taken in under the name given, and never closed [SG-10 SG-26]", async () => {
    const { group } = observe();
    const session = await lend(serverWith("one", "t"));
    expect(await group.connectWithSession({ name: "lent", version: "1" }, session)).toBe(session);
    expect((await group.callTool("lent__t")).text).toBe("one.t");
    await expect(group.connectWithSession({ name: "again", version: "1" }, session)).rejects.toThrow(McpUsageError);
    await group.disconnect(session);
    expect(group.tools.size).toBe(0);
    expect((await session.callTool("t")).text).toBe("one.t");
    await group.connectWithSession({ name: "lent", version: "1" }, session);
    await group.close();
    expect((await session.callTool("t")).text).toBe("one.t");
  });

  it("may have been opened by hand, by its handshake [SG-10 SG-29]", async () => {
    const server = serverWith("one", "t");
    server.resource("r:r", { name: "r" }, () => "");
    const [near, far] = createDirectPair();
    void acceptorOf(server).accept(far);
    const session = new ClientSession(near);
    onTestFinished(() => session.close());
    await session.connect();
    await session.initialize();
    const { group, changes } = observe();
    await group.connectWithSession({ name: "one", version: "1" }, session);
    server.tool("u", {}, () => "");
    await expect.poll(() => [...group.tools.keys()]).toEqual(["one__t", "one__u"]);
    await group.subscribeResource("r:r");
    server.resourceUpdated("r:r");
    await expect.poll(() => changes).toContainEqual({ kind: "resource", server: "one", name: "one__r:r", uri: "r:r" });
    await group.disconnect(session);
    expect((await session.callTool("t")).text).toBe("one.t");
  });

  it("one without anything to offer can leave as any other [SG-20 SG-26]", async () => {
    const { group } = observe();
    const session = await lend(testServer({ name: "empty" }));
    await group.connectWithSession({ name: "empty", version: "1" }, session);
    expect(group.sessions).toEqual([session]);
    await group.disconnect(session);
    expect(group.sessions).toEqual([]);
    const owned = await group.connectToServer(testServer({ name: "empty" }));
    await group.disconnect(owned);
    await owned.closed;
  });

  it("is not closed either when its names are taken [SG-10 SG-21]", async () => {
    const { group } = observe();
    await group.connectToServer(serverWith("one", "t"));
    const session = await lend(serverWith("one", "t"));
    expect(await failureOf(group.connectWithSession({ name: "one", version: "1" }, session))).toMatchObject({ code: -32602 });
    expect((await session.callTool("t")).text).toBe("one.t");
  });

  it("that ends is marked, and its names are free [SG-30]", async () => {
    const { group, errors } = observe();
    const session = await connect(serverWith("one", "t"));
    await group.connectWithSession({ name: "one", version: "1" }, session);
    await session.close();
    await expect.poll(() => group.servers.get("one")?.state).toBe("closed");
    expect(group.tools.size).toBe(0);
    expect(group.sessions).toEqual([]);
    expect(errors).toEqual(["one: Connection closed"]);
    expect(await failureOf(group.callTool("one__t"))).toMatchObject({
      name: "ServerUnavailableError",
      message: 'Server "one" is not connected (closed): Connection closed',
    });
    await group.disconnect(session);
    expect(group.servers.size).toBe(0);
  });
});
