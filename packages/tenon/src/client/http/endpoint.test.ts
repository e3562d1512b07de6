import { afterEach, describe, expect, test, vi } from "vitest";
import { Endpoint } from "./endpoint.ts";
import { ConnectionLostError } from "../../jsonrpc/mcp-error.ts";

const GET = { method: "GET", headers: {}, signal: new AbortController().signal };

afterEach(() => vi.unstubAllGlobals());

describe("the URL of a server [R12 R21]", () => {
  test.each([
    "ftp://a/",
    "javascript:alert(1)",
    "file:///a",
    "data:,x",
    "ws://a/",
    "http://u@a/",
    "http://:p@a/",
    "/mcp",
    "",
    "http://",
  ])("%j is refused", (url) => {
    expect(() => new Endpoint(url)).toThrow(TypeError);
  });

  test.each([
    ["/mcp", "The URL of a server must be an absolute http: or https: URL"],
    ["ftp://a/", "Cannot connect to a ftp: URL: use https: or http:"],
    ["http://u@a/", "The URL of a server must not contain a user name or password: use headers"],
  ])("%j is refused with the reason", (url, message) => {
    expect(() => new Endpoint(url)).toThrow(new TypeError(message));
  });

  test("is named without query and fragment", () => {
    const endpoint = new Endpoint(new URL("https://a.example:8443/mcp?token=1#x"));
    expect(endpoint.name).toBe("https://a.example:8443/mcp");
    expect(endpoint.url.href).toBe("https://a.example:8443/mcp?token=1");
  });
});

describe("other paths of the same server [D.1 E1]", () => {
  test("relative and absolute ones", () => {
    const endpoint = new Endpoint("https://a.example/sse");
    expect(endpoint.sibling("/messages?s=1").url.href).toBe("https://a.example/messages?s=1");
    expect(endpoint.sibling("messages").url.href).toBe("https://a.example/messages");
    expect(endpoint.sibling("https://a.example/m").url.href).toBe("https://a.example/m");
  });

  test.each([
    "https://b.example/m",
    "http://a.example/m",
    "https://a.example:444/m",
    "//b.example/m",
    "javascript:alert(1)",
    "https://u:p@a.example/m",
    "http://[",
  ])("%j is refused as an address of the same server", (reference) => {
    expect(() => new Endpoint("https://a.example/sse").sibling(reference)).toThrow(
      "https://a.example/sse names an endpoint that is not its own",
    );
  });
});

describe("failures of fetch", () => {
  const failing = (error: Error): Endpoint => {
    const fetch = async (): Promise<Response> => {
      throw error;
    };
    return new Endpoint("https://a.example/", fetch);
  };

  test.each([
    ["ECONNREFUSED", "not-sent"],
    ["ENOTFOUND", "not-sent"],
    ["EAI_AGAIN", "not-sent"],
    ["EHOSTUNREACH", "not-sent"],
    ["ENETUNREACH", "not-sent"],
    ["ERR_CONNECT_TIMEOUT", "not-sent"],
    ["ConnectionRefused", "not-sent"],
    ["UND_ERR_CONNECT_TIMEOUT", "not-sent"],
    ["CERT_HAS_EXPIRED", "not-sent"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "not-sent"],
    ["ECONNRESET", "unknown"],
    ["UND_ERR_SOCKET", "unknown"],
    [undefined, "unknown"],
  ])("%s: %s [C1]", async (code, outcome) => {
    const cause = Object.assign(new Error("x"), { code });
    const call = failing(new TypeError("fetch failed", { cause })).send(GET);
    await expect(call).rejects.toBeInstanceOf(ConnectionLostError);
    await expect(call).rejects.toMatchObject({ outcome, data: { outcome }, message: "Cannot reach https://a.example/" });
  });

  test("the code is looked for in the causes, three deep; a circle of causes ends [C1]", async () => {
    const nested = (depth: number): Error => {
      let error: Error = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
      for (let level = 0; level < depth; level++) error = new Error("x", { cause: error });
      return error;
    };
    await expect(failing(nested(0)).send(GET)).rejects.toMatchObject({ outcome: "not-sent" });
    await expect(failing(nested(3)).send(GET)).rejects.toMatchObject({ outcome: "not-sent" });
    await expect(failing(nested(4)).send(GET)).rejects.toMatchObject({ outcome: "unknown" });
    const circle = new Error("x");
    circle.cause = circle;
    await expect(failing(circle).send(GET)).rejects.toMatchObject({ outcome: "unknown" });
  });

  test("the caller's own abort stays what it is [C13]", async () => {
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await expect(failing(new Error("aborted")).send({ ...GET, signal: abort.signal })).rejects.toThrow("enough");
  });
});

test("a browser that hides a redirect is not trusted with one [C8]", async () => {
  const hidden = { type: "opaqueredirect", status: 0, headers: new Headers() } as Response;
  const message = "https://a.example/ redirects, which a browser does not let us check";
  await expect(new Endpoint("https://a.example/", () => Promise.resolve(hidden)).send(GET)).rejects.toMatchObject({
    status: 0,
    message,
  });
});

describe("redirects [C8]", () => {
  /** An endpoint whose first response redirects there. */
  const redirecting = (status: number, location: string): Endpoint => {
    let asked = 0;
    return new Endpoint("https://a.example/mcp", () =>
      Promise.resolve(asked++ === 0 ? new Response(null, { status, headers: { location } }) : new Response("there")),
    );
  };

  test.each([
    [307, "https://[", "redirects (307) to an invalid URL"],
    [
      308,
      "https://b.example/mcp?a=b",
      "redirects (308) to another origin, https://b.example/mcp: " +
        "if that is the server you mean, use https://b.example/mcp instead",
    ],
    [307, "http://a.example/mcp/", "redirects (307) to another origin, http://a.example/mcp/: use http://a.example/mcp/ instead"],
    [
      307,
      "https://u@a.example/mcp",
      "redirects (307) to another origin, https://a.example/mcp: use https://a.example/mcp instead",
    ],
    [
      307,
      "https://:p@a.example/mcp",
      "redirects (307) to another origin, https://a.example/mcp: use https://a.example/mcp instead",
    ],
    [
      399,
      "/other",
      "redirects (399) to https://a.example/other in a way that would change the request: use https://a.example/other instead",
    ],
    [300, "mailto:a@b", "redirects (300) to mailto: in a way that would change the request"],
  ])("%i to %s is refused with the reason", async (status, location, why) => {
    await expect(redirecting(status, location).send(GET)).rejects.toMatchObject({
      status,
      message: `https://a.example/mcp ${why}`,
    });
  });

  test.each([200, 299, 400])("%i with a location is no redirect", async (status) => {
    expect((await redirecting(status, "/other").send(GET)).status).toBe(status);
  });

  test("a loop is refused with the number of redirects", async () => {
    const loop = new Endpoint("https://a.example/mcp", () =>
      Promise.resolve(new Response(null, { status: 307, headers: { location: "/mcp" } })),
    );
    await expect(loop.send(GET)).rejects.toMatchObject({
      message: "https://a.example/mcp redirects (307) more than 3 times, at last to https://a.example/mcp",
    });
  });
});

test("a page of another origin has a key of its own [B4.6]", () => {
  const endpoint = new Endpoint("https://a.example/mcp");
  expect(endpoint.isForeign).toBe(false);
  vi.stubGlobal("location", { origin: "https://b.example" });
  expect(endpoint.isForeign).toBe(true);
  vi.stubGlobal("location", { origin: "https://a.example" });
  expect(endpoint.isForeign).toBe(false);
});
