import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesRedirectUri, objectionTo } from "./redirect-uri.ts";

const host = fc.constantFrom("127.0.0.1", "[::1]", "localhost");
const port = fc.integer({ min: 1, max: 65_535 }).map((number) => `:${number}`);
const path = fc.webPath().map((text) => (text.startsWith("/") ? text : `/${text}`));
const loopback = fc.tuple(host, fc.option(port, { nil: "" }), path);

describe("matching", () => {
  test("every URI matches itself, and no other that is not a loopback one [M4.5 M6.1]", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.webUrl(), (uri, other) => {
        expect(matchesRedirectUri(uri, uri)).toBe(true);
        expect(matchesRedirectUri(uri, other)).toBe(uri === other);
      }),
    );
  });

  test("on a loopback address any port matches, and nothing else differs [M4.5]", () => {
    fc.assert(
      fc.property(loopback, port, ([name, registered, rest], asked) => {
        expect(matchesRedirectUri(`http://${name}${registered}${rest}`, `http://${name}${asked}${rest}`)).toBe(true);
        expect(matchesRedirectUri(`http://${name}${registered}${rest}`, `https://${name}${asked}${rest}`)).toBe(false);
        expect(matchesRedirectUri(`http://${name}${registered}${rest}`, `http://${name}${asked}${rest}x`)).toBe(false);
        expect(matchesRedirectUri(`http://${name}${registered}${rest}`, `http://${name}.evil.example${asked}${rest}`)).toBe(
          false,
        );
      }),
    );
  });

  test("one character more, less or other never matches, but within the port [M4.5]", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("https://app.example/cb?x=1", "com.app:/cb", "http://127.0.0.1:80/cb"),
        fc.nat(30),
        fc.string({ maxLength: 2 }),
        (uri, at, insert) => {
          const changed = uri.slice(0, at) + insert + uri.slice(at + 1);
          const sameButPort =
            /^http:\/\/127\.0\.0\.1(:\d{1,5})?\/cb$/.test(changed) && uri.startsWith("http:") && URL.canParse(changed);
          expect(matchesRedirectUri(uri, changed)).toBe(changed === uri || sameButPort);
        },
      ),
    );
  });

  test.each([
    ["http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1@evil.example/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb"],
    ["http://127.0.0.1/cb", "http://localhost/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1/cb#f"],
    ["http://127.0.0.1/cb", "http://127.0.0.1/cb/../cb"],
    ["http://127.0.0.1", "http://127.0.0.1.evil.example"],
    ["https://app.example/cb", "https://APP.example/cb"],
    ["https://app.example/cb", "https://app.example:443/cb"],
    ["https://app.example/cb", "https://app.example/cb?"],
  ])("registered %s, asked for %s: no [M4.5]", (registered, asked) => {
    expect(matchesRedirectUri(registered, asked)).toBe(false);
  });
});

describe("registering", () => {
  test.each([
    ["http://127.0.0.1/cb", "native", true],
    ["http://127.0.0.1:3000/cb", "native", true],
    ["http://[::1]/cb", "native", true],
    ["http://localhost:1/cb", undefined, true],
    ["com.example.app:/cb", "native", true],
    ["https://app.example/cb", "native", true],
    ["https://app.example/cb", "web", true],
    ["http://127.0.0.1/cb", "web", false],
    ["https://localhost/cb", "web", false],
    ["com.example.app:/cb", "web", false],
    ["http://app.example/cb", "native", false],
    ["http://127.0.0.1.evil.example/cb", "native", false],
    ["javascript:alert(1)", "native", false],
    ["data:text/html,x", "native", false],
    ["file:///etc/passwd", "native", false],
    ["myapp:/cb", "native", false],
    ["https://user@app.example/cb", undefined, false],
    ["https://app.example/cb#f", undefined, false],
    ["https://*.example/cb", undefined, false],
    ["https://app.example/a b", undefined, false],
    ["https://app.example/\r\nx", undefined, false],
    ["https://app.example/é", undefined, false],
    ["/cb", undefined, false],
    ["", undefined, false],
    [`https://app.example/${"x".repeat(2_048)}`, undefined, false],
  ] as const)("%j for a client of type %s: %s [M3.3]", (uri, type, allowed) => {
    expect(objectionTo(uri, type) === undefined).toBe(allowed);
  });

  test("no text makes it throw, and what is allowed can be a header and a URL [M3.3]", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `https://a.example/${text}`),
        ),
        (text) => {
          if (objectionTo(text, undefined) !== undefined) return;
          expect(URL.canParse(text)).toBe(true);
          expect(text).toMatch(/^[\x21-\x7e]+$/);
        },
      ),
    );
  });
});
