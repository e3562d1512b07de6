/** What programs without types get wrong when they make a gateway: the error names the option, at once. */
import { describe, expect, test } from "vitest";
import { bearerToken } from "tenon/auth";
import { callerTokenExchange, createGateway, perCaller, type GatewayOptions } from "tenon/gateway";
import { testServer } from "../support/test-server.ts";

const untyped = (value: unknown): never => value as never;
const SERVERS = 'Option "servers" must be the servers by their names: { clock, files: { url: "…" } }';
const ENTRY =
  'Server "a" must be a URL, a server, { url }, { command: "npx", args: ["tenon", "run", "server.ts"] } or { target }';
const KEYS = 'Option "requestState.keys" must be a list of at least one key, each of 32 bytes or more';

describe("createGateway()", () => {
  test.each([
    [{}, SERVERS],
    [{ servers: [testServer()] }, SERVERS],
    [{ servers: "https://a.example/mcp" }, SERVERS],
    [{ servers: { a: "npx foo" } }, ENTRY],
    [{ servers: { a: undefined } }, ENTRY],
    [{ servers: { a: { comand: "x" } } }, ENTRY],
    [{ policy: { allow: ["a"] } }, 'Option "policy" must be a function that returns true for what a caller may use'],
    [{ audit: () => undefined }, 'Option "audit" must be { write }, with a function that gets each record'],
    [{ audit: "audit.jsonl" }, 'Option "audit" must be { write }, with a function that gets each record'],
    [{ pins: "pins.json" }, 'Option "pins" must be an object, such as { approved }'],
    [{ prefix: "x" }, 'Option "prefix" must be the prefixes by the names of servers: { files: "f" }'],
    [{ search: { pinned: "a__b" } }, 'Option "search.pinned" must be a list of names of tools'],
    [{ quotas: { "*": { requests: "600" } } }, 'Option "quotas.requests" must be a number >= 1, not "600"'],
    [{ requestState: { keys: ["short"] } }, KEYS],
    [{ requestState: { keys: [undefined] } }, `${KEYS}: one of them is undefined`],
  ])("refuses %j, and says what the option takes", (options, message) => {
    expect(() =>
      createGateway(untyped("servers" in options || message === SERVERS ? options : { servers: {}, ...options })),
    ).toThrow(message);
  });

  test.each([
    ["onElicit", () => ({ action: "cancel" }), "the clients of a gateway answer what its servers ask"],
    ["elicitationModes", ["url"], "the clients of a gateway answer what its servers ask"],
    ["onSample", () => ({}), "the clients of a gateway answer what its servers ask"],
    ["roots", [], "the clients of a gateway answer what its servers ask"],
    ["onLog", () => undefined, "the clients of a gateway get the messages of its servers"],
    ["onMessage", () => undefined, "the clients of a gateway get the messages of its servers"],
    ["validateOutput", true, "the clients of a gateway check the results of its servers"],
    ["reconnect", false, "a gateway connects again with the next call"],
  ])("refuses the option %s of a server, which would have no effect, and says why", async (option, value, reason) => {
    const message = `Option "${option}" of server "a" has no effect behind a gateway: ${reason}`;
    const up = testServer({ name: "up" });
    const entries = [
      { target: up, [option]: value },
      { url: "https://a.example/mcp", [option]: value },
      { command: "a", [option]: value },
      { url: "https://a.example/mcp", auth: perCaller(() => bearerToken("x")), [option]: value },
    ];
    for (const a of entries) expect(() => createGateway(untyped({ servers: { a } }))).toThrow(new TypeError(message));
    await using gateway = createGateway({ servers: { up } });
    await expect(gateway.setServers(untyped({ a: entries[0] }))).rejects.toThrow(message);
  });

  test("credentials of callers that cannot be made are refused", () => {
    expect(() => perCaller(untyped(bearerToken("x")))).toThrow("perCaller() needs a function of the caller");
    expect(() => callerTokenExchange(untyped({ issuer: "https://a.example" }))).toThrow('"client" must be { id, secret }');
  });
});

test("an option about a server that the gateway does not have is reported, with the nearest name", async () => {
  const reported: string[] = [];
  const up = testServer({ name: "up" });
  const options: GatewayOptions = {
    servers: { github: up },
    quotas: { githb: { requests: 1 }, github: { requests: 1 }, "*": { requests: 1 } },
    share: { nosuch: "call" },
    prefix: { gitub: "g" },
    onError: ({ message }) => void reported.push(message),
  };
  await createGateway(options).close();
  expect(reported).toEqual([
    'Option "quotas" names server "githb", which this gateway does not have. Did you mean "github"?',
    'Option "share" names server "nosuch", which this gateway does not have.',
    'Option "prefix" names server "gitub", which this gateway does not have. Did you mean "github"?',
  ]);
  await createGateway({ ...options, servers: {} }).close(); // servers that come later cannot be compared
  expect(reported).toHaveLength(3);
});
