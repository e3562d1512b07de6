// Client, authorization server and protected server, all of them Tenon's, over sockets: what a user sees.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon";
import { bearer, bearerToken, clientCredentials, type BearerOptions } from "tenon/auth";
import { toNodeHandler } from "tenon/node";
import type { RunningAuthorizationServer } from "tenon/testing";
import { asked, authorization, authorizationServer, login } from "../auth/support.ts";
import { REVISIONS } from "./support.ts";
import { testServer } from "../support/test-server.ts";

interface World {
  readonly login: RunningAuthorizationServer;
  readonly url: string;
  readonly connect: (options: ConnectOptions) => Promise<Client>;
  readonly errors: Error[];
}

/** A server whose URL is known before it is protected. */
async function world(options: Partial<BearerOptions>, as: RunningAuthorizationServer): Promise<World> {
  const errors: Error[] = [];
  const server = testServer({ name: "files" });
  server.tool(
    "who",
    {},
    (_input, ctx) => `${ctx.auth?.subject} through ${ctx.auth?.clientId === undefined ? "nothing" : "a client"}`,
  );
  server.tool("delete", { scopes: ["files:write"] }, (_input, ctx) => `deleted with ${ctx.auth?.scopes.join(" ")}`);
  server.tool("ask", {}, async (_input, ctx) => `sure: ${await ctx.confirm("sure", "Sure?")}`);
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const auth = bearer({ issuer: as.issuer, audience: url, scopes: ["mcp"], ...options });
  const handler = toNodeHandler(server, { auth, onError: (error) => void errors.push(error) });
  http.on("request", handler);
  onTestFinished(async () => {
    await handler.close();
    http.close();
    http.closeAllConnections();
  });
  const open: World["connect"] = async (more) => {
    const client = await connect(url, more);
    onTestFinished(() => client.close());
    return client;
  };
  return { login: as, url, connect: open, errors };
}

describe.each(REVISIONS)("%s", (revision) => {
  test("a user logs in, calls, is asked, and steps up for what needs more [M1.2 M2.1 M1.4]", async () => {
    const as = await authorizationServer({ subject: "ann" });
    const { connect, errors } = await world({}, as);
    const client = await connect({
      revision,
      auth: login(),
      onElicit: () => ({ action: "accept", content: { ok: true, confirm: true } }),
    });
    expect((await client.callTool("who")).text).toBe("ann through a client");
    expect(authorization(as)).toMatchObject({ scope: "mcp" });
    expect((await client.callTool("delete")).text).toBe("deleted with mcp files:write");
    expect(asked(as, "authorize")).toHaveLength(2);
    if (revision >= "2025-06-18") expect((await client.callTool("ask")).text).toMatch(/^sure: /);
    expect(errors.map((error) => error.message).filter((message) => !message.startsWith("Insufficient scope"))).toEqual([]);
  });

  test.each([false, true])(
    "a program with a key of its own is taken, with nonces: %s [requirement R4 requirement R1]",
    async (nonce) => {
      const as = await authorizationServer({ clients: [{ client_id: "robot", client_secret: "s".repeat(32) }] });
      const { connect, errors } = await world({ dpop: { required: true, nonce } }, as);
      const auth = clientCredentials({ issuer: as.issuer, client: { id: "robot", secret: "s".repeat(32) } });
      const client = await connect({ revision, auth });
      for (let i = 0; i < 3; i++) expect((await client.callTool("who")).text).toBe("robot through a client");
      expect(errors.map((error) => error.message).filter((message) => !message.includes("nonce"))).toEqual([]);
    },
  );
});

test("a token for another server of the same authorization server opens nothing here [M1.4]", async () => {
  const as = await authorizationServer();
  const [here, there] = [await world({}, as), await world({}, as)];
  const token = await as.issueAccessToken({ audience: there.url, scopes: ["mcp"] });
  await expect(here.connect({ auth: bearerToken(token) })).rejects.toThrow(/refuses the token/);
  expect((await (await there.connect({ auth: bearerToken(token) })).callTool("who")).text).toMatch(/^user/);
});
