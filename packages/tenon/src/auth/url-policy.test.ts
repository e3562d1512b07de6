import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { UrlPolicy } from "./url-policy.ts";

// The corpus is read as data: a character that must not be in a URL is written there as an escape.
const corpus = JSON.parse(readFileSync(new URL("../../test/auth/hostile-urls.json", import.meta.url), "utf8")) as {
  refused: string[];
  taken: string[];
};

describe("a URL that a peer named [fault O1 fault O3 R12 M6.2]", () => {
  const policy = new UrlPolicy();

  test.each(corpus.refused)("refused: %j", (url) => {
    expect(policy.refuses(url)).toMatch(/^(is|has|names|leads) /);
  });

  test.each(corpus.taken)("taken: %j", (url) => {
    expect(policy.refuses(url)).toBeUndefined();
  });

  test.each([
    ["ftp://as.example.com/", "is neither https: nor http:"],
    ["https://a@as.example.com/", "has a user name or password in it"],
    ["https://as.example.com/#", "has a fragment"],
    ["http://as.example.com/", "is not https:"],
    ["https://as.example.com:9/", 'has port 9 (option "allowedPorts")'],
    ["https://as.internal/", 'names a host inside a private network (option "allowPrivateNetwork")'],
    ["https://10.0.0.1/", 'leads into a private or reserved network (option "allowPrivateNetwork")'],
    ["https://localhost/", 'leads to this machine (option "allowLoopback")'],
    ["https://as.example.com/ a", "has spaces, control characters or other characters that a URL cannot have"],
    ["https://as.example.com/{a}", "has characters that must be encoded"],
    ["https://as.example.com/%zz", "has a % that is not an escape"],
    ["https:///a", "names no host"],
    ["as.example.com", "is not an absolute URL"],
  ])("the refusal of %s says that it %s", (url, why) => {
    expect(policy.refuses(url)).toBe(why);
  });

  test.each([
    ["name.example", "leads to an invalid address"],
    ["127.0.0.1", 'leads to this machine (option "allowLoopback")'],
  ])("the refusal of a name that leads to %s says that it %s", (address, why) => {
    expect(policy.refusesAddress("as.example.com", address)).toBe(why);
  });

  test("one that never ends is refused for its length", () => {
    expect(policy.refuses(`https://as.example.com/${"a".repeat(8192)}`)).toBe("is longer than 8192 characters");
  });

  test("with every refused URL, a public server changes nothing but its own port", () => {
    const server = new URL("https://mcp.example.com:9000/mcp");
    const forServer = new UrlPolicy({}, server);
    for (const url of corpus.refused) expect(forServer.refuses(url), url).toBeDefined();
    expect(forServer.refuses("https://as.example.com:9000/")).toBeUndefined();
  });
});

describe("a URL on this machine", () => {
  const LOCAL = ["http://localhost:3000/a", "http://127.0.0.1:80/", "https://[::1]:25/", "http://127.1/", "http://a.localhost./"];

  test.each(LOCAL)("is taken where the MCP server is on this machine, or loopback is allowed: %s", (url) => {
    expect(new UrlPolicy({}, new URL("http://127.0.0.1:1234/mcp")).refuses(url)).toBeUndefined();
    expect(new UrlPolicy({ allowLoopback: true }).refuses(url)).toBeUndefined();
    expect(new UrlPolicy({ allowLoopback: false }, new URL("http://localhost/mcp")).refuses(url)).toContain('"allowLoopback"');
    expect(new UrlPolicy({}, new URL("https://mcp.example.com/mcp")).refuses(url)).toContain('"allowLoopback"');
  });

  test("does not open the way to private networks, to http: elsewhere or to other schemes", () => {
    const policy = new UrlPolicy({ allowLoopback: true });
    for (const url of [
      "http://10.0.0.1/",
      "https://169.254.169.254/",
      "http://as.example.com/",
      "file:///etc/passwd",
      "http://0.0.0.0/",
    ]) {
      expect(policy.refuses(url), url).toBeDefined();
    }
  });
});

describe("what a user allows", () => {
  test("networks and names, and nothing beside them", () => {
    const policy = new UrlPolicy({ allowPrivateNetwork: ["10.1.0.0/16", "fd00:1::/32", "192.168.7.7", "Login.corp"] });
    for (const url of [
      "https://10.1.2.3/",
      "https://[fd00:1::5]/",
      "https://192.168.7.7/",
      "https://login.corp/",
      "https://LOGIN.corp./",
    ]) {
      expect(policy.refuses(url), url).toBeUndefined();
    }
    for (const url of [
      "https://10.2.0.1/",
      "https://[fd00:2::5]/",
      "https://192.168.7.8/",
      "https://a.corp/",
      "http://10.1.2.3/",
      "https://[a01::5]/",
      "https://253.0.0.1/",
    ]) {
      expect(policy.refuses(url), url).toBeDefined();
    }
    expect(policy.refusesAddress("login.corp", "10.9.9.9")).toBeUndefined();
    expect(policy.refusesAddress("as.example.com", "10.1.9.9")).toBeUndefined();
    expect(policy.refusesAddress("as.example.com", "10.9.9.9")).toContain("private or reserved");
  });

  test("ports, and the server's own origin wherever it is", () => {
    const allowing = new UrlPolicy({ allowedPorts: [9443, 1, 65_535] });
    for (const port of ["", ":443", ":8443", ":9443", ":1", ":65535"]) {
      expect(allowing.refuses(`https://as.example.com${port}/`), port).toBeUndefined();
    }
    for (const port of [2, 80, 444, 9442, 65_534])
      expect(allowing.refuses(`https://as.example.com:${port}/`)).toContain(`has port ${port}`);
    const inside = new UrlPolicy({}, new URL("https://10.0.0.5/mcp"));
    expect(inside.refuses("https://10.0.0.5/.well-known/x")).toBeUndefined();
    expect(inside.refuses("https://10.0.0.6/")).toBeDefined();
  });

  test.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "x/8", "/8"])("an invalid network is refused at once: %s", (network) => {
    const refused = new RangeError(`"${network}" is not a network: write an address and its prefix length, such as 10.0.0.0/8`);
    expect(() => new UrlPolicy({ allowPrivateNetwork: [network] })).toThrow(refused);
  });

  test.each([0, 65_536, 1.5, Number.NaN])("an invalid port is refused at once: %d", (port) => {
    expect(() => new UrlPolicy({ allowedPorts: [port] })).toThrow(
      `Option "allowedPorts" must hold ports from 1 to 65535, not ${port}`,
    );
  });
});

describe("addresses, however they are written [fault O1]", () => {
  const policy = new UrlPolicy();
  const privateV4 = fc.oneof(
    fc.tuple(fc.constant(10), byte(), byte(), byte()),
    fc.tuple(fc.constant(127), byte(), byte(), byte()),
    fc.tuple(fc.constant(169), fc.constant(254), byte(), byte()),
    fc.tuple(fc.constant(192), fc.constant(168), byte(), byte()),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte(), byte()),
  );

  test("every spelling of a private IPv4 address is refused, inside IPv6 as well", () => {
    fc.assert(
      fc.property(privateV4, ([a, b, c, d]) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const hex = number.toString(16).padStart(8, "0");
        const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
        const hosts = [
          `${a}.${b}.${c}.${d}`,
          `${number}`,
          `0x${hex}`,
          `0${a.toString(8)}.${b}.${c}.0x${d.toString(16)}`,
          `${a}.${b * 65_536 + c * 256 + d}`,
          `${a}.${b}.${c * 256 + d}`,
          `${a}.${b}.${c}.${d}.`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
          `[::ffff:${groups}]`,
          `[64:ff9b::${groups}]`,
          `[2002:${groups}::]`,
        ];
        for (const host of hosts) expect(policy.refuses(`https://${host}/`), host).toBeDefined();
      }),
    );
  });

  test("IPv6 is taken inside 2000::/3 only", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(new URL(`http://[${address}]`).hostname.slice(1).split(":")[0] || "0", 16);
        if (policy.refuses(`https://[${address}]/`) !== undefined || address.includes(".")) return;
        expect(first >= 0x2000 && first <= 0x3fff).toBe(true);
      }),
    );
  });
});

function byte(): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 255 });
}
