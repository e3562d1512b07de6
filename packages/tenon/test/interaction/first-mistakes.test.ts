/** What programs without types get wrong first: the error comes at once, and shows what to write. */
import { describe, expect, it } from "vitest";
import { connect, McpServer } from "tenon";
import { oauth } from "tenon/auth";
import { createAuthorizationServer } from "tenon/authorization-server";
import { ClientSessionGroup } from "tenon/group";
import { openJsonLines, serveStdio, spawnServer } from "tenon/node";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores } from "tenon/stores/redis";
import { createFetchHandler } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const MAKE_A_KEY = 'To make one: openssl rand -base64 32. To pass it: Buffer.from(process.env.KEY, "base64")';

/** A value as a program without types passes it. */
const untyped = (value: unknown): never => value as never;

describe("A first program", () => {
  it.each([["weather"], [{ name: "weather" }], [{ version: "1.0.0" }], [undefined], [null]])(
    "makes a server from %j, and reads what a server needs",
    (info) => {
      expect(() => new McpServer(untyped(info))).toThrow(
        new TypeError('A server needs a name and a version: new McpServer({ name: "weather", version: "1.0.0" })'),
      );
    },
  );

  it("gives a version as a number, and reads that it is a text", () => {
    expect(() => new McpServer(untyped({ name: "weather", version: 1 }))).toThrow(
      new TypeError('A server needs a name and a version, which is a text: new McpServer({ name: "weather", version: "1.0.0" })'),
    );
  });

  it.each([[undefined], [{}], [Promise.resolve()], [{ id: "tasks" }]])("uses %j, and reads what a server uses", (added) => {
    const server = testServer();
    expect(() => server.use(untyped(added))).toThrow(
      new TypeError("A server uses middleware, which is a function, and extensions, such as tasks()"),
    );
  });

  const KEY = "k".repeat(32);
  it.each([
    [KEY, "bytes or more"],
    [[], "bytes or more"],
    [["short"], "bytes or more"],
    [[KEY, undefined], "bytes or more: one of them is undefined"],
    [[5], "bytes or more"],
  ])("seals with the keys %j, and reads what keys are", (keys, end) => {
    expect(() => testServer({ requestState: { keys: untyped(keys) } })).toThrow(
      new RangeError(
        `Option "requestState.keys" must be a list of at least one key, each of 32 ${end}. To make one: openssl rand -base64 32`,
      ),
    );
  });

  it("gives all stores as the store of states, and reads which one it is", () => {
    expect(() => testServer({ requestState: { keys: [KEY], store: untyped({ states: {} }) } })).toThrow(
      new TypeError('Option "requestState.store" must be a StateStore, such as the "states" of redisStores()'),
    );
  });

  it.each([
    [{ sessions: 10 }, 'Option "sessions" must be true, false or an object of options, not 10'],
    [{ sessions: null }, 'Option "sessions" must be true, false or an object of options, not null'],
    [{ responseMode: "stream" }, 'Option "responseMode" must be "auto", "json" or "sse", not "stream"'],
    [{ cors: true }, 'Option "cors" must be { origins: ["https://app.example"] }'],
    [{ cors: { origins: ["app.example"] } }, 'cors.origins: "app.example" is not an origin, such as "https://app.example"'],
    [{ allowedHosts: ["https://a.example"] }, 'allowedHosts: "https://a.example" is not a host name, such as "mcp.example.com"'],
    [{ allowedOrigins: ["app.example"] }, 'allowedOrigins: "app.example" is not an origin, such as "https://app.example"'],
  ])("serves over HTTP with %j, and reads what the option takes", (options, message) => {
    const server = testServer();
    expect(() => createFetchHandler(server, untyped(options))).toThrow(new TypeError(message));
  });

  it.each([
    [{ limits: { maxBodyBytes: "5000" } }, 'Option "limits.maxBodyBytes" must be a number >= 1, not "5000"'],
    [{ sessions: { idle: "30m" } }, 'Option "sessions.idle" must be a number of milliseconds >= 0 or Infinity, not "30m"'],
  ])("limits an endpoint by the text in %j, and reads that a limit is a number", (options, message) => {
    const server = testServer();
    expect(() => createFetchHandler(server, untyped(options))).toThrow(new RangeError(message));
  });

  it.each([["admin"], [true], [["admin"]]])("shows a tool to %j, and reads that a function decides", (visible) => {
    const server = testServer();
    expect(() => server.tool("own", untyped({ visible }), () => "")).toThrow(
      new TypeError('"visible" of tool "own" must be a function of the caller that returns true or false'),
    );
    expect(() => server.prompt("own", untyped({ visible }), () => "")).toThrow(/^"visible" of prompt "own" must be a function/);
  });

  it.each([[testServer({ name: "git" })], ["git"], ["git", {}], ["git", "server.ts"], ["git", null]])(
    "mounts %j, and reads what a mount has",
    (prefix: unknown, source?: unknown) => {
      const server = testServer();
      expect(() => server.mount(untyped(prefix), untyped(source))).toThrow(
        new TypeError('A mount has a prefix and a source of features, such as a server: mount("git", git)'),
      );
    },
  );

  it.each(["allowedHosts", "allowedOrigins"])("gives %s as one text, and reads that it is a list", (option) => {
    const server = testServer();
    expect(() => createFetchHandler(server, untyped({ [option]: "https://a.example" }))).toThrow(
      new TypeError(`${option} must be a list: ["https://a.example"]`),
    );
  });

  it.each(["server.ts", "./server.ts", "/mcp", "npx -y server"])(
    "connects to %j, and reads how a program is started",
    async (target) => {
      const program = '{ command: "npx", args: ["tenon", "run", "server.ts"] }';
      await expect(connect(target)).rejects.toThrow(
        new TypeError(`A text must be an absolute http: or https: URL. To start a program, pass ${program}`),
      );
    },
  );

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [5, "5"],
    [{}, "an object without url and command"],
    [{ comand: "node" }, "an object without url and command"],
    [McpServer, "a function"],
  ])("connects to %j, and reads what there is to connect to", async (target, what) => {
    const program = '{ command: "npx", args: ["tenon", "run", "server.ts"] }';
    await expect(connect(untyped(target))).rejects.toThrow(
      new TypeError(`Cannot connect to ${what}: pass a URL ("https://example.com/mcp"), a program (${program}), or an McpServer`),
    );
  });

  it.each([[undefined], [null], [""], [5]])("writes lines to %j, and reads that it is the path of a file", (path) => {
    expect(() => openJsonLines(untyped(path))).toThrow(
      new TypeError(
        `openJsonLines() needs the path of a file, such as openJsonLines("audit.jsonl"), not ${JSON.stringify(path)}`,
      ),
    );
  });

  it.each([redisStores, natsStores, postgresStores])(
    "seals logins with a text, or a short key, and reads what a key is",
    (stores) => {
      const wanted = 'Option "loginKey" must be a Uint8Array of at least 32 random bytes, not';
      expect(() => stores({ loginKey: untyped("k".repeat(40)) })).toThrow(new TypeError(`${wanted} a text. ${MAKE_A_KEY}`));
      expect(() => stores({ loginKey: new Uint8Array(16) })).toThrow(new RangeError(`${wanted} 16. ${MAKE_A_KEY}`));
    },
  );

  it.each(["./data", null, {}])("stores in PGlite by %j, and reads that it is a database", (pglite) => {
    expect(() => postgresStores({ pglite: untyped(pglite) })).toThrow(
      new TypeError('Option "pglite" must be a database of "@electric-sql/pglite", such as new PGlite("./data")'),
    );
  });

  it.each([
    [{ command: undefined }, 'The "command" of a server must be the name or the path of a program, such as "npx", not undefined'],
    [{ command: "" }, 'The "command" of a server must be the name or the path of a program, such as "npx", not ""'],
    [
      { command: ["npx", "server"] },
      'The "command" of a server must be the name or the path of a program, such as "npx", not ["npx","server"]',
    ],
    [{ command: "npx", args: "server" }, 'The "args" of a server must be a list of texts: ["tenon", "run", "server.ts"]'],
    [{ command: "npx", args: [3000] }, 'The "args" of a server must be a list of texts: ["tenon", "run", "server.ts"]'],
  ])("starts a program by %j, and reads what there is to start [ST-01]", async (program, message) => {
    for (const start of [connect, spawnServer]) await expect(start(untyped(program))).rejects.toThrow(new TypeError(message));
  });

  it.each([undefined, {}])("serves %j on stdio, and reads that it takes a server", async (server) => {
    await expect(serveStdio(untyped(server), { exit: false })).rejects.toThrow(new TypeError("serveStdio needs a server"));
  });

  it("asks for scopes by a list, or makes an authorization server or a group of nothing, and reads what they take", async () => {
    expect(() => oauth({ scope: untyped(["a"]) })).toThrow(/^Option "scope" must be scopes separated by spaces/);
    await expect(createAuthorizationServer(untyped(undefined))).rejects.toThrow(
      new TypeError("The options of createAuthorizationServer() must be an object"),
    );
    await expect(ClientSessionGroup.connect(untyped(undefined))).rejects.toThrow(/^A group takes its servers by their names: /);
  });

  it("gives a command with its arguments in one text, and reads where they belong", async () => {
    const command = "no-such-command run server.ts";
    expect(await failureOf(spawnServer({ command }))).toMatchObject({
      message: `Cannot start the server "${command}": ENOENT: "args" takes the words after the first one`,
      data: { code: "ENOENT", command },
    });
  });
});

describeMatrix("A first call", ({ connect: connectTo }) => {
  it("takes the tool and its arguments as one object, and reads that they are two parameters", async () => {
    const server = testServer();
    server.tool("add", {}, () => "done");
    const client = await connectTo(server);
    await expect(client.callTool(untyped({ name: "add", arguments: {} }))).rejects.toThrow(
      new TypeError('The tool and its arguments are two parameters: callTool("add", { a: 1 })'),
    );
    expect((await client.callTool("add")).text).toBe("done");
  });
});
