import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { AuthorizationError } from "./authorization-error.ts";
import { GuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The origin of a server that answers like that. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(body: string | Buffer, headers: { [name: string]: string } = {}, status = 200): RequestListener {
  return (_, response) => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

const local = (options: GuardedFetchOptions = {}): GuardedFetch => new GuardedFetch({ allowLoopback: true, ...options });

describe("d.5.4 a document is bounded [fault O2]", () => {
  test("in size: an endless one is cut off where the limit is", async () => {
    let written = 0;
    const origin = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = (): void => {
        while (!response.destroyed && response.write(" ".repeat(16_384))) written += 16_384;
      };
      response.on("drain", more);
      more();
    });
    await expect(local().json(`${origin}/endless`, { hop: "keys" })).rejects.toThrow("longer than 262144 bytes");
    expect(written).toBeLessThan(16 * 1024 * 1024);
    await expect(local({ maxDocumentBytes: 10 }).json(`${origin}/endless`, { hop: "keys" })).rejects.toThrow(
      '"maxDocumentBytes"',
    );
  });

  test("in size after unpacking", async () => {
    const bomb = gzipSync(Buffer.from(JSON.stringify({ a: "a".repeat(8 * 1024 * 1024) })));
    const origin = await serve(answering(bomb, { "content-encoding": "gzip" }));
    await expect(local().json(origin, { hop: "keys" })).rejects.toThrow("longer than 262144 bytes");
  });

  test("in time, from the first byte to the last", async () => {
    const origin = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{");
    });
    await expect(local({ fetchTimeout: 50 }).json(origin, { hop: "keys" })).rejects.toThrow(
      'no response within 50 ms. Try again, or raise option "fetchTimeout"',
    );
  });

  test("in shape: depth, duplicate keys, arrays, other media types, nothing at all", async () => {
    const bodies: [string, string][] = [
      ["[".repeat(100) + "]".repeat(100), "application/json"],
      ['{"issuer":"a","issuer":"b"}', "application/json"],
      ["[]", "application/json"],
      ['"text"', "application/json"],
      ["null", "application/json"],
      ["{", "application/json"],
      ["<html></html>", "text/html"],
      ["{}", "text/plain"],
      ["{}", "application/jsonp"],
    ];
    for (const [body, type] of bodies) {
      const origin = await serve(answering(body, { "content-type": type }));
      await expect(local().json(origin, { hop: "keys" }), body).rejects.toThrow(
        /the response is (no JSON object|not application\/json)/,
      );
    }
  });

  test("the caller's abort stays the caller's", async () => {
    const origin = await serve(() => undefined);
    const abort = new AbortController();
    const call = local().json(origin, { hop: "keys", signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  test.each([0, -1, Number.NaN])("a limit out of range is refused at once: %d", (value) => {
    expect(() => new GuardedFetch({ fetchTimeout: value })).toThrow(/"fetchTimeout"/);
    expect(() => new GuardedFetch({ maxDocumentBytes: value })).toThrow(/"maxDocumentBytes"/);
  });
});

describe("redirects [fault O2 R16]", () => {
  test("within the origin a document may be elsewhere, three times", async () => {
    const origin = await serve((request, response) => {
      const step = Number(request.url?.slice(1));
      if (step < 3) response.writeHead(302, { location: `/${step + 1}` }).end();
      else answering('{"ok":true}')(request, response);
    });
    const { json, url } = await local().json(`${origin}/0`, { hop: "keys" });
    expect([json, url]).toEqual([{ ok: true }, `${origin}/3`]);
  });

  test("no further, to no other origin, to nothing the policy refuses", async () => {
    let asked = 0;
    const other = await serve((request, response) => {
      asked++;
      answering("{}")(request, response);
    });
    for (const [location, problem] of [
      ["/loop", "more than 3 times"],
      [other, "to another origin"],
      ["//127.0.0.1:1/", "to another origin"],
      ["file:///etc/passwd", "to another origin"],
      ["http://[", "to an invalid URL"],
    ] as const) {
      let hops = 0;
      const origin = await serve((_, response) => {
        hops++;
        response.writeHead(302, { location }).end();
      });
      const remedy = "The operator of that server must repair this.";
      await expect(local().json(`${origin}/loop`, { hop: "keys" }), location).rejects.toMatchObject({
        url: `${origin}/loop`,
        problem: `it redirects ${problem}`,
        remedy,
      });
      expect(hops, location).toBe(location === "/loop" ? 4 : 1);
    }
    expect(asked).toBe(0);
  });

  test("never for a request that holds secrets", async () => {
    const seen: (string | undefined)[] = [];
    const origin = await serve((request, response) => {
      seen.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const call = local().json(`${origin}/token`, { hop: "token", method: "POST", body: "secret" });
    await expect(call).rejects.toThrow("it redirects a request that holds secrets");
    expect(seen).toEqual(["/token"]);
  });
});

describe("nothing is sent to what is refused [fault O1]", () => {
  test("with a fetch of one's own as well", async () => {
    const asked: string[] = [];
    const documents = new GuardedFetch({
      fetch: (url) => {
        asked.push(url);
        return Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } }));
      },
    });
    for (const url of ["http://127.0.0.1/", "file:///etc/passwd", "https://a:b@as.example.com/", "https://169.254.169.254/"]) {
      const failure: unknown = await documents.json(url, { hop: "token" }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AuthorizationError);
      const remedy = "Nothing was sent to it. If you trust it, allow it with the option named here.";
      expect(failure).toMatchObject({ hop: "token", remedy });
    }
    expect(asked).toEqual([]);
    expect((await documents.json("https://as.example.com/", { hop: "token" })).json).toEqual({});
  });
});

test("an error shows neither query, fragment nor user name, and no line break of a peer [fault O10]", async () => {
  const failure: unknown = await new GuardedFetch()
    .json("https://user:canary@as.example.com:8443/path?code=canary#canary", { hop: "callback" })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({
    url: "https://as.example.com:8443/path",
    data: { hop: "callback", url: "https://as.example.com:8443/path" },
  });
  expect(JSON.stringify([failure, (failure as Error).message])).not.toContain("canary");
  const odd = await new GuardedFetch()
    .json("no url\r\n\u001B[31mred\u202E", { hop: "challenge" })
    .catch((error: unknown) => error as Error);
  expect((odd as Error).message).toMatch(/^[\x20-\x7E]+$/);
});

test("a server that cannot be reached is an error that says what to check", async () => {
  const cause = new Error("down");
  const documents = new GuardedFetch({ fetch: () => Promise.reject(cause) });
  const remedy = "Check the network and the address, then try again.";
  const failure: unknown = await documents.json("https://as.example.com/", { hop: "keys" }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ hop: "keys", problem: "it cannot be reached", remedy, cause });
});

test("what a server refuses with is returned, with its JSON where it has some", async () => {
  const json = await serve(answering('{"error":"invalid_grant"}', {}, 400));
  const html = await serve(answering("<html>", { "content-type": "text/html" }, 502));
  expect(await local().json(json, { hop: "token" })).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
  expect(await local().json(html, { hop: "token" })).toMatchObject({ status: 502, json: undefined });
});
