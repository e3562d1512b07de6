// A server on a Unix socket: who may connect, what is replaced and what is left, and the errors for what cannot be.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { Server } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { serveHttp, socketFetch, type ServeHttpOptions } from "tenon/node";
import { socketPathOf } from "../../src/node/socket-path.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";
import { BOTH, initialize } from "./support.ts";
import { clientOf, serveOn, socketFolder, socketPath } from "./unix-socket-support.ts";

/** Options as a program without types passes them. */
const untyped = (value: unknown): ServeHttpOptions => value as ServeHttpOptions;
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const sayHello = (name: string) => {
  const server = testServer({ name });
  server.tool("hello", {}, () => name);
  return server;
};

/** A socket whose process has ended without removing it. */
function staleSocket(path: string): void {
  const program = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", program]);
  expect(statSync(path).isSocket()).toBe(true);
}

/** The status of one request to what listens on a socket. */
function statusOf(path: string, url: string, headers: Record<string, string> = {}, body?: object): Promise<number | undefined> {
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    request({ socketPath: path, path: url, method, headers, agent: false }, (response) => resolve(response.resume().statusCode))
      .once("error", reject)
      .end(body && JSON.stringify(body));
  });
}

describe("the file of the socket", () => {
  test("is for this user only, and goes when the server closes", async () => {
    const path = socketPath();
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    const endpoint = await serveOn(path, sayHello("one"));
    expect(modeOf(path)).toBe("600");
    expect(endpoint).toMatchObject({ socket: path, url: "http://localhost/mcp", port: 0 });
    expect(process.umask()).toBe(0);
    await endpoint.close();
    expect(existsSync(path)).toBe(false);
  });

  test("has the mode of socketMode, whatever the mask of the process is", async () => {
    const path = socketPath();
    const mask = process.umask(0o077);
    onTestFinished(() => void process.umask(mask));
    await serveOn(path, sayHello("one"), { socketMode: 0o660 });
    expect(modeOf(path)).toBe("660");
    expect(process.umask()).toBe(0o077);
  });

  test("has its mode from the first moment on [rule R22]", async () => {
    const path = socketPath();
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    const listen: unknown = Reflect.get(Server.prototype, "listen");
    const seen: string[] = [];
    const spy = vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...given: unknown[]) {
      const server = Reflect.apply(listen as Server["listen"], this, given); // what Node's own returns
      seen.push(modeOf(path)); // the file is there, and clients can connect
      return server;
    });
    onTestFinished(() => spy.mockRestore());
    await serveOn(path, sayHello("one"));
    expect(seen).toEqual(["600"]);
  });

  test("has its mode in a thread too, once the server listens", async () => {
    const path = socketPath();
    const url = (entry: string): string => JSON.stringify(new URL(`../../dist/${entry}/index.js`, import.meta.url).href);
    const program = `
      const { parentPort } = require("node:worker_threads");
      Promise.all([import(${url("node")}), import(${url("server")})]).then(async ([{ serveHttp }, { McpServer }]) => {
        await serveHttp(new McpServer({ name: "s", version: "1" }), { socket: ${JSON.stringify(path)} });
        parentPort.postMessage("serves");
      });`;
    const thread = new Worker(program, { eval: true });
    onTestFinished(async () => void (await thread.terminate()));
    await once(thread, "message");
    expect(modeOf(path)).toBe("600");
  });

  test("is replaced if its process has ended", async () => {
    const path = socketPath();
    staleSocket(path);
    await serveOn(path, sayHello("new"));
    expect((await (await clientOf(path)).callTool("hello")).text).toBe("new");
  });

  test("can be used again after the server has closed", async () => {
    const path = socketPath();
    await (await serveOn(path, sayHello("one"))).close();
    await serveOn(path, sayHello("two"));
    expect((await (await clientOf(path)).callTool("hello")).text).toBe("two");
  });

  test("two servers that begin at once at a stale socket: one serves, the other is refused", async () => {
    const path = socketPath();
    staleSocket(path);
    const begun = await Promise.allSettled([serveOn(path, sayHello("a")), serveOn(path, sayHello("b"))]);
    expect(begun.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(["a", "b"]).toContain((await (await clientOf(path)).callTool("hello")).text);
  });

  test("goes if the server cannot begin", async () => {
    const path = socketPath();
    const lifespan = (): never => {
      throw new Error("no database");
    };
    await expect(serveHttp(testServer({ lifespan }), { socket: path })).rejects.toThrow("no database");
    expect(existsSync(path)).toBe(false);
  });

  test("a relative path begins at the working directory, and the endpoint names the whole", async () => {
    const folder = socketFolder();
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    expect((await serveOn("r.sock", sayHello("one"))).socket).toBe(join(folder, "r.sock"));
  });
});

describe("where it cannot listen, the error says what to do, and nothing is removed", () => {
  test("another process listens there", async () => {
    const path = socketPath();
    await serveOn(path, sayHello("first"));
    await expect(serveHttp(sayHello("second"), { socket: path })).rejects.toMatchObject({
      code: "EADDRINUSE",
      message:
        `Cannot listen on the socket ${path}: another process listens there, often an earlier run of this program: ` +
        'stop it, or choose another path with option "socket" (EADDRINUSE)',
    });
    expect((await (await clientOf(path)).callTool("hello")).text).toBe("first");
  });

  test("a file stands there [rule R19]", async () => {
    const path = socketPath();
    writeFileSync(path, "letters");
    await expect(serveHttp(testServer(), { socket: path })).rejects.toMatchObject({
      code: "EADDRINUSE",
      message:
        `Cannot listen on the socket ${path}: a file that is not a socket stands there, and is left as it is: ` +
        'choose another path with option "socket", or move it away (EADDRINUSE)',
    });
    expect(readFileSync(path, "utf8")).toBe("letters");
  });

  test("a folder or a link stands there, even a link to a stale socket", async () => {
    const [folder, path, stale] = [socketFolder(), socketPath(), socketPath()];
    staleSocket(stale);
    symlinkSync(stale, path);
    await expect(serveHttp(testServer(), { socket: folder })).rejects.toThrow("a folder stands there, and is left as it is");
    await expect(serveHttp(testServer(), { socket: path })).rejects.toThrow("a link stands there, and is left as it is");
    expect(statSync(stale).isSocket()).toBe(true);
  });

  test("its folder does not exist, or is a file", async () => {
    const folder = socketFolder();
    const path = join(folder, "no", "s.sock");
    await expect(serveHttp(testServer(), { socket: path })).rejects.toThrow(
      `Cannot listen on the socket ${path}: the folder ${folder}/no does not exist: ` +
        'make it first, or choose another path with option "socket" (EACCES)',
    );
    writeFileSync(join(folder, "no"), "");
    await expect(serveHttp(testServer(), { socket: path })).rejects.toThrow(
      `${folder}/no is not a folder: correct option "socket"`,
    );
  });

  test("this user may not write in its folder", async () => {
    const parent = socketFolder();
    const folder = join(parent, "closed");
    mkdirSync(folder);
    chmodSync(parent, 0o755);
    chmodSync(folder, 0o555);
    if (process.getuid?.() === 0) {
      process.seteuid?.(65_534); // nobody, because root may write anywhere
      onTestFinished(() => process.seteuid?.(0));
    }
    await expect(serveHttp(testServer(), { socket: join(folder, "s.sock") })).rejects.toThrow(
      `this user may not write in the folder ${folder}: choose another path with option "socket" (EACCES)`,
    );
  });

  test("a path that the system would cut", async () => {
    const folder = socketFolder();
    const fits = join(folder, "x".repeat(103 - folder.length - 1));
    await expect(serveHttp(testServer(), { socket: `${fits}12345` })).rejects.toThrow(
      /^Option "socket": this system takes 10[37] bytes, and \/tmp\/t-\w+\/x+12345 has 108: choose a shorter path, such as in \/run or \/tmp$/,
    );
    await serveOn(fits, sayHello("fits"));
    expect((await (await clientOf(fits)).callTool("hello")).text).toBe("fits");
    expect(() => socketFetch(`${fits}12345`)).toThrow(/^The argument of socketFetch\(\): this system takes 10[37] bytes/);
  });

  test.each<[object, string]>([
    [
      { port: 0 },
      'Options "socket" and "port" exclude each other: leave one of them out, or call serveHttp() twice to serve both',
    ],
    [{ host: "127.0.0.1" }, 'Options "socket" and "host" exclude each other: a socket has no address, so leave one of them out'],
    [{ workers: 2 }, 'Options "socket" and "workers" exclude each other'],
    [{ workers: "all" }, 'Options "socket" and "workers" exclude each other'],
    [{ socketMode: 660 }, 'Option "socketMode" must be the mode of a file from 0 to 0o777, such as 0o660, not 660'],
    [{ socketMode: "0660" }, 'Option "socketMode" must be the mode of a file from 0 to 0o777, such as 0o660, not 0660'],
    [{ socket: "" }, 'Option "socket" must be the path of a socket, such as /run/app/mcp.sock, not ""'],
    [{ socket: 5 }, 'Option "socket" must be the path of a socket, such as /run/app/mcp.sock, not 5'],
    [
      { socket: "unix:///run/x.sock" },
      'Option "socket" must be the path of a socket, such as /run/app/mcp.sock, not "unix:///run/x.sock"',
    ],
    [{ socket: "\0abstract" }, 'Option "socket" must not contain a NUL character'],
    [{ socket: undefined, port: 0, socketMode: 0o600 }, 'Option "socketMode" needs option "socket", the path of the socket'],
  ])("%j is refused by name", async (options, message) => {
    const path = socketPath();
    await expect(serveHttp(testServer(), untyped({ socket: path, ...options }))).rejects.toThrow(message);
    expect(existsSync(path)).toBe(false);
  });

  test("on Windows a path is that of a named pipe", () => {
    expect(socketPathOf("It", String.raw`\\.\pipe\mcp`, "win32")).toBe(String.raw`\\.\pipe\mcp`);
    expect(() => socketPathOf("It", String.raw`C:\mcp.sock`, "win32")).toThrow(
      String.raw`It must be the path of a named pipe, such as \\.\pipe\mcp, not "C:\\mcp.sock"`,
    );
  });
});

describe("what holds as over a port", () => {
  test("hosts and origins are checked: a proxy may stand before it", async () => {
    const path = socketPath();
    await serveOn(path, testServer());
    expect(await statusOf(path, "/mcp", { host: "attacker.example" })).toBe(421);
    expect(await statusOf(path, "/mcp", { host: "localhost", origin: "https://attacker.example" })).toBe(403);
  });

  test("without an address all clients have one share of the limits [rule R5]", async () => {
    const path = socketPath();
    await serveOn(path, testServer(), { sessions: { maxPerPrincipal: 1 } });
    const headers = { "content-type": "application/json", accept: BOTH };
    const open = (): Promise<number | undefined> => statusOf(path, "/mcp", headers, initialize("2025-11-25"));
    expect([await open(), await open()]).toEqual([200, 429]);
  });

  test("a drain refuses new requests, lets running calls end, and removes the socket", async () => {
    const path = socketPath();
    const server = testServer();
    const [begun, going] = [deferred<void>(), deferred<string>()];
    server.tool("slow", {}, () => (begun.resolve(), going.promise));
    const endpoint = await serveOn(path, server, { health: true });
    const client = await clientOf(path);
    const call = client.callTool("slow");
    await begun.promise;
    const drained = endpoint.drain(30_000);
    await expect.poll(() => statusOf(path, "/readyz")).toBe(404);
    expect(await statusOf(path, "/mcp", { "content-type": "application/json", accept: BOTH }, initialize("2025-11-25"))).toBe(
      503,
    );
    going.resolve("done");
    expect((await call).text).toBe("done");
    await drained;
    expect(existsSync(path)).toBe(false);
  });
});
