/** What programs without types get wrong when they listen: the error names the option, at once, and nothing listens. */
import { describe, expect, onTestFinished, test } from "vitest";
import { serveHttp, type ServeHttpOptions } from "tenon/node";
import { testServer } from "../support/test-server.ts";

/** Options as a program without types passes them. */
const untyped = (value: unknown): ServeHttpOptions => value as ServeHttpOptions;
const PORT = 'Option "port" must be a whole number from 0 to 65535, not';

describe("serveHttp()", () => {
  test.each([
    [{ port: "3000" }, `${PORT} "3000"`],
    [{ port: null }, `${PORT} null`],
    [{ port: NaN }, `${PORT} NaN`],
    [{ port: -1 }, `${PORT} -1`],
    [{ port: 65_536 }, `${PORT} 65536`],
    [{ port: 3.5 }, `${PORT} 3.5`],
    [{ host: 127 }, 'Option "host" must be an address or the name of a host, such as "127.0.0.1", not 127'],
    [
      { host: "http://127.0.0.1" },
      'Option "host" must be an address or the name of a host, such as "127.0.0.1", not "http://127.0.0.1"',
    ],
    [{ path: "mcp" }, 'Option "path" must begin with "/", such as "/mcp", not "mcp"'],
    [{ path: 5 }, 'Option "path" must begin with "/", such as "/mcp", not 5'],
    [{ health: "/health" }, 'Option "health" must be true or false, not "/health": its paths are /livez, /healthz and /readyz'],
    [{ drainDelay: "2s" }, 'Option "drainDelay" must be a number of milliseconds >= 0 or Infinity, not "2s"'],
    [{ timeouts: { headers: "1" } }, 'Option "timeouts.headers" must be a whole number of milliseconds >= 0, not "1"'],
    [{ timeouts: { request: Infinity } }, 'Option "timeouts.request" must be a whole number of milliseconds >= 0, not Infinity'],
  ])("refuses %j, and says what the option takes", async (options, message) => {
    await expect(serveHttp(testServer(), { port: 0, ...untyped(options) })).rejects.toThrow(message);
  });

  test("a port that is taken is named, with the option that changes it", async () => {
    const first = await serveHttp(testServer(), { port: 0 });
    onTestFinished(() => first.close());
    await expect(serveHttp(testServer(), { port: first.port })).rejects.toMatchObject({
      code: "EADDRINUSE",
      message:
        `Cannot listen on 127.0.0.1:${first.port}: the port is taken, often by an earlier run of this program: ` +
        'choose another one with option "port", or 0 for any that is free (EADDRINUSE)',
    });
  });

  test.each([
    [
      "no-such-host.invalid",
      /^Cannot listen on no-such-host\.invalid:0: no address has this name: correct option "host" \(ENOTFOUND\)$/,
    ],
    [
      "192.0.2.7",
      /^Cannot listen on 192\.0\.2\.7:0: no interface of this machine has this address: correct option "host" \(EADDRNOTAVAIL\)$/,
    ],
    ["2001:db8::7", /^Cannot listen on \[2001:db8::7\]:0: .*correct option "host"/],
  ])("a host where it cannot listen (%s) is named, with its option", async (host, message) => {
    const server = testServer();
    await expect(serveHttp(server, { port: 0, host, allowedHosts: ["localhost"] })).rejects.toThrow(message);
  });

  test("an option that is undefined has its default", async () => {
    const unset = untyped({
      host: undefined,
      path: undefined,
      health: undefined,
      drainDelay: undefined,
      timeouts: { headers: undefined },
    });
    const endpoint = await serveHttp(testServer(), { port: 0, ...unset });
    expect(endpoint.url).toBe(`http://127.0.0.1:${endpoint.port}/mcp`);
    await endpoint.close();
  });

  test.each(["5s", -1, NaN])("drain(%j) is refused, and the endpoint serves on", async (ms) => {
    const endpoint = await serveHttp(testServer(), { port: 0, health: true });
    await expect(endpoint.drain(ms as never)).rejects.toThrow(/^Option "drain" must be a number of milliseconds >= 0/);
    expect((await fetch(new URL("/readyz", endpoint.url))).status).toBe(200);
    await endpoint.close();
  });
});
