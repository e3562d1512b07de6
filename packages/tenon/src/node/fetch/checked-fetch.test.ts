import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { GuardedFetch } from "../../auth/guarded-fetch.ts";
import { AddressRefusedError } from "../../auth/web-fetch.ts";
import { checkedFetch } from "./checked-fetch.ts";

/** What the platform's resolver says, in turn: the last answer stays. */
const names = vi.hoisted(() => new Map<string, string[]>());
const lookups: string[] = [];

vi.mock("node:dns/promises", () => ({
  lookup: (host: string): Promise<{ address: string; family: number }[]> => {
    lookups.push(host);
    const answers = names.get(host) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined) return Promise.reject(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }));
    return Promise.resolve(answer.split(",").map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  },
}));

let server: Server;
let port: number;
const hosts: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.setHeader("content-type", "application/json").end('{"a":1}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  lookups.length = 0;
  hosts.length = 0;
  names.clear();
});

const init = () =>
  ({ method: "GET", headers: {}, signal: AbortSignal.timeout(5_000), redirect: "manual", cache: "no-store" }) as const;

describe("d.5.2 a name is looked up once, judged, and connected to where it was judged [fault O1 R12]", () => {
  test("a name that changes its mind between look and connection cannot lead elsewhere [M6.2]", async () => {
    names.set("rebind.example", ["127.0.0.1", "169.254.169.254"]);
    const judged: string[] = [];
    const response = await checkedFetch(`http://rebind.example:${port}/`, init(), (_, address) => {
      judged.push(address);
      return undefined;
    });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(judged).toEqual(["127.0.0.1"]);
    expect(lookups).toEqual(["rebind.example"]);
    expect(hosts).toEqual([`rebind.example:${port}`]);
  });

  test("one bad address among good ones is enough, and no socket is opened [M6.2]", async () => {
    names.set("mixed.example", ["127.0.0.1,10.0.0.1"]);
    const call = checkedFetch(`http://mixed.example:${port}/`, init(), (_, address) =>
      address === "10.0.0.1" ? "is bad" : undefined,
    );
    await expect(call).rejects.toThrow(AddressRefusedError);
    expect(hosts).toEqual([]);
  });

  test.each(["127.0.0.1", "169.254.169.254", "10.1.2.3", "::1", "64:ff9b::a00:1", "2002:a00:1::", "fec0::1", "::ffff:10.0.0.1"])(
    "the policy refuses a public name that leads to %s",
    async (address) => {
      names.set("public.example", [address]);
      const documents = new GuardedFetch();
      await expect(documents.json("https://public.example/", { hop: "keys" })).rejects.toMatchObject({
        hop: "keys",
        url: "https://public.example/",
        message: expect.stringMatching(/leads (to this machine|into a private or reserved network)/) as string,
      });
      expect(hosts).toEqual([]);
    },
  );

  test("what was allowed by name or network is connected to", async () => {
    names.set("as.example", ["127.0.0.1"]);
    const documents = new GuardedFetch({ allowLoopback: true });
    await expect(documents.json("https://as.example:8443/", { hop: "keys", signal: init().signal })).rejects.toThrow(
      "cannot be reached",
    );
    expect(lookups).toEqual(["as.example"]);
  });
});

test("an unknown host name is a failure to reach it", async () => {
  await expect(new GuardedFetch().json("https://unknown.example/", { hop: "keys" })).rejects.toThrow("it cannot be reached");
});
