/** `tenon keys` over an engine, and the server that accepts what it makes. */
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { apiKeys } from "tenon/auth/keys";
import { redisStores } from "tenon/stores/redis";
import { assertStarted, startEngine, type Engine } from "../../../tenon/test/stores/engines.ts";
import { runCommand } from "../cli/run-command.ts";

let engine: Engine | undefined;
beforeAll(async () => void (engine = await startEngine("redis")));
afterAll(() => engine?.stop());

const storeOf = (context: TestContext): string[] => ["--store", assertStarted(engine, "redis", context).url];

/** What an endpoint with keys of that prefix does with a key. */
async function who(url: string, prefix: string, key: string): Promise<unknown> {
  const stores = redisStores({ url });
  try {
    const auth = apiKeys({ store: stores.keyed, prefix, cacheTtl: 0 });
    const decision = await auth.authorize({
      method: "POST",
      url: "/mcp",
      header: (name) => (name === "authorization" ? `Bearer ${key}` : undefined),
    });
    return "auth" in decision ? [decision.auth.subject, ...decision.auth.scopes] : decision.status;
  } finally {
    await stores.close();
  }
}

test("a key is made, listed, rotated and revoked, and the server follows", async (context) => {
  const store = storeOf(context);
  const url = store[1]!;
  const made = await runCommand([
    "keys",
    "create",
    "nightly",
    ...store,
    "--prefix",
    "one",
    "--scope",
    "files:read",
    "--days",
    "30",
    "--json",
  ]);
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const { id, key, expiresAt, createdAt } = JSON.parse(made.stdout) as {
    id: string;
    key: string;
    expiresAt: number;
    createdAt: number;
  };
  expect(expiresAt - createdAt).toBe(30 * 86_400_000);
  expect(await who(url, "one", key)).toEqual(["nightly", "files:read"]);

  const listed = await runCommand(["keys", "list", ...store, "--prefix", "one"]);
  expect(listed.stdout).toMatch(
    new RegExp(`^${id}  nightly  files:read  until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d, (never used|used .*)\\n$`),
  );
  expect(listed.stdout).not.toContain(key);

  const rotated = await runCommand(["keys", "rotate", id, ...store, "--prefix", "one"]);
  const [, next] = /\n\n(one_\S+)\n\nThis is the only time that the key is shown\./.exec(rotated.stdout)!;
  expect([await who(url, "one", key), await who(url, "one", next!)]).toEqual([401, ["nightly", "files:read"]]);

  expect((await runCommand(["keys", "revoke", id, ...store, "--prefix", "one"])).stdout).toBe(`The key ${id} is revoked.\n`);
  expect(await who(url, "one", next!)).toBe(401);
  const again = await runCommand(["keys", "revoke", id, ...store, "--prefix", "one"]);
  expect([again.code, again.stdout]).toEqual([1, `There is no key with the id "${id}".\n`]);
  expect((await runCommand(["keys", "list", ...store, "--prefix", "one"])).stdout).toBe("There are no keys.\n");
});

test.each([
  [["keys"], "tenon keys needs one of create, list, rotate, revoke."],
  [["keys", "make"], "tenon keys needs one of create, list, rotate, revoke."],
  [["keys", "list"], "Name the engine that the server uses"],
  [["keys", "list", "--store", "mysql://x"], "--store must be redis://"],
])("%j says what is missing", async (typed, message) => {
  const { code, stderr } = await runCommand(typed);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.for([
  [["create"], "Name who gets the key"],
  [["create", "a", "--days", "x"], "--days must be a number"],
  [["create", "a", "--prefix", "A_"], 'Option "prefix"'],
  [["rotate"], "Name the key"],
  [["rotate", "none"], 'There is no API key with the id "none"'],
  [["list", "a", "b"], "takes one word"],
] as const)("keys %j says what is wrong", async ([typed, message], context) => {
  const { code, stderr } = await runCommand(["keys", ...typed, ...storeOf(context)]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
