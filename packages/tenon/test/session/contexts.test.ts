/** The asynchronous context of a sender reaches the handler of what he sent, through streams that carry it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { acceptorOf, ClientSession, connect, JsonRpcDispatcher } from "tenon";
import { serveStdio, StdioTransport } from "tenon/node";
import { BaseSession, StreamTransport } from "tenon/compat/python";
import { createStreamsPair } from "../support/sources.ts";
import { testServer } from "../support/test-server.ts";

const user = new AsyncLocalStorage<string>();

it("each handler of a server runs in the context its request was sent from [XT-24 CV-12 SM-09]", async () => {
  const server = testServer();
  const arrived: (() => void)[] = [];
  server.tool("who", {}, async () => {
    const early = user.getStore();
    await new Promise<void>((resolve) => {
      arrived.push(resolve);
      if (arrived.length === 2) for (const go of arrived) go();
    });
    return `${early} ${user.getStore()}`;
  });
  const [near, far] = createStreamsPair();
  acceptorOf(server)
    .accept(new JsonRpcDispatcher(new StreamTransport(far)))
    .catch(() => undefined);
  const session = await new ClientSession(near).connect();
  onTestFinished(() => session.close());
  await session.initialize();
  const answers = await Promise.all(["ada", "bob"].map((name) => user.run(name, () => session.callTool("who"))));
  expect(answers.map(({ text }) => text)).toEqual(["ada ada", "bob bob"]);
});

it("so do the callbacks of a client [CV-12 SM-09]", async () => {
  const server = testServer();
  server.tool("ask", {}, (_input, { session }) =>
    user.run("the server's", async () => JSON.stringify(await session.listRoots())),
  );
  const [near, far] = createStreamsPair();
  acceptorOf(server)
    .accept(new JsonRpcDispatcher(new StreamTransport(far)))
    .catch(() => undefined);
  const session = new ClientSession(near, { roots: () => [{ uri: "file:///a", name: user.getStore() ?? "nobody's" }] });
  await session.connect();
  onTestFinished(() => session.close());
  await session.initialize();
  const { text } = await user.run("the client's", () => session.callTool("ask"));
  expect(JSON.parse(text)).toEqual({ roots: [{ uri: "file:///a", name: "the server's" }] });
});

it("a server on stdio runs handlers in the context that serves it [ST-68 CV-12]", async () => {
  const server = testServer();
  server.tool("who", {}, async () => {
    await Promise.resolve();
    return user.getStore() ?? "nobody";
  });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = user.run("the host", () => serveStdio(server, { stdin, stdout }));
  const client = await user.run("a stranger", () => connect(new StdioTransport({ input: stdout, output: stdin })));
  const answers = await Promise.all([client.callTool("who"), user.run("ada", () => client.callTool("who"))]);
  expect(answers.map(({ text }) => text)).toEqual(["the host", "the host"]);
  stdin.end();
  await served;
});

it("a responder keeps it, for a later response [BS-51 RR-16]", async () => {
  const [near, far] = createStreamsPair(2);
  const kept: string[] = [];
  const session = new BaseSession(near, {
    onRequest: (request) => {
      kept.push(request.context!(() => user.getStore() ?? "nobody"));
    },
  });
  await session.connect();
  onTestFinished(() => session.close());
  await user.run("ada", () => far.write.send({ message: { jsonrpc: "2.0", id: 1, method: "a" } }));
  await far.write.send({ message: { jsonrpc: "2.0", id: 2, method: "a" } });
  await expect.poll(() => kept).toEqual(["ada", "nobody"]);
});

it("streams that carry none do as well [SM-09]", async () => {
  const [near, far] = createStreamsPair();
  const plain = {
    [Symbol.asyncIterator]: () => far.read[Symbol.asyncIterator](),
    [Symbol.asyncDispose]: () => far.read[Symbol.asyncDispose](),
  };
  const server = testServer();
  server.tool("who", {}, () => user.getStore() ?? "nobody");
  acceptorOf(server)
    .accept(new JsonRpcDispatcher(new StreamTransport({ read: plain, write: far.write })))
    .catch(() => undefined);
  const session = await new ClientSession(near).connect();
  onTestFinished(() => session.close());
  await session.initialize();
  expect((await user.run("ada", () => session.callTool("who"))).isError).toBe(false);
});
