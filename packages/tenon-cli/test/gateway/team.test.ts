/**
 * A gateway for a team, by its configuration file: callers with tokens, groups that see some tools, bundles with a URL of their
 * own; changes while it runs; what `check` and `schema` say. Needs a build.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "tenon";
import { bearerToken } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { startAuthorizationServer } from "tenon/testing";
import { runCommand } from "../cli/run-command.ts";
import { configFile, type ConfigSetup } from "../../../tenon/test/gateway/support.ts";

const MORTAL = fileURLToPath(new URL("../../../tenon/test/gateway/mortal-server.mjs", import.meta.url));
const entry = { command: process.execPath, args: [MORTAL] };
const servers = { crm: entry, docs: entry };
/** Lists wait for servers that start slowly. */
const PATIENT = { readyTimeout: 60_000 };
const ADA = "ada-token-0123456789abcdef";
const BO = "bo-token-0123456789abcdefg";
const CY = "cy-token-0123456789abcdefg";

const team = {
  http: {
    port: 0,
    auth: {
      tokens: {
        ada: { token: "${env:ADA_TOKEN}", scopes: ["crm:write"], groups: ["sales"] },
        bo: { token: "${file:bo-token}", groups: ["support"] },
        cy: { token: CY },
      },
    },
  },
  groups: { sales: {}, support: { pick: ["docs__*", { server: "crm", name: "pid" }] }, "*": { pick: ["docs__pid"] } },
  bundles: {
    reading: { servers: ["docs"], pick: ["crm__pid"] },
    deals: { servers: ["crm"], groups: ["sales"] },
  },
};

interface Running {
  readonly url: string;
  readonly made: ConfigSetup;
  /** All that the command has said. */
  readonly said: () => string;
  readonly clientOf: (token: string | undefined, bundle?: string) => Promise<Client>;
  readonly toolsOf: (token: string | undefined, bundle?: string) => Promise<string[]>;
}

/** Serves a file until the test ends. */
async function serving(settings: object, mcpServers: object = servers): Promise<Running> {
  const made = await configFile({ tenon: { ...PATIENT, ...settings }, mcpServers });
  await writeFile(join(made.folder, "bo-token"), `${BO}\n`);
  let text = "";
  let end: (() => void) | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const ended = runCommand(["gateway", made.file, "--http", "--yes"], {
      env: { ...made.user.env, ADA_TOKEN: ADA },
      onStderr: (all, kill) => {
        text = all;
        end = () => kill("SIGINT");
        const found = /Serving \S+ at (http:\/\/\S+\/mcp)\./.exec(all)?.[1];
        if (found !== undefined) resolve(found);
      },
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
    onTestFinished(async () => {
      end?.();
      await ended;
    });
  });
  const clientOf = async (token: string | undefined, bundle?: string): Promise<Client> => {
    const target = bundle === undefined ? url : `${url}/${bundle}`;
    const client = await connect(target, token === undefined ? {} : { auth: bearerToken(token) });
    onTestFinished(() => client.close());
    return client;
  };
  const toolsOf = async (token: string | undefined, bundle?: string): Promise<string[]> => {
    const client = await clientOf(token, bundle);
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name).sort();
  };
  return { url, made, said: () => text, clientOf, toolsOf };
}

const ALL = ["crm__die", "crm__pid", "docs__die", "docs__pid"];

it("callers come in by their tokens, and each sees what its groups pick", async () => {
  const { toolsOf, clientOf, said, url } = await serving(team);
  expect(await toolsOf(ADA)).toEqual(ALL);
  expect(await toolsOf(BO)).toEqual(["crm__pid", "docs__die", "docs__pid"]);
  expect(await toolsOf(CY)).toEqual(["docs__pid"]);
  const bo = await clientOf(BO);
  await expect(bo.callTool("crm__die")).rejects.toMatchObject({ code: -32602 });
  expect((await bo.callTool("crm__pid")).text).toMatch(/^\d+$/);
  await expect(toolsOf(undefined)).rejects.toThrow("Unauthorized");
  await expect(toolsOf(`${ADA}x`)).rejects.toThrow("refuses the token");
  for (const token of [ADA, BO, CY]) expect(said()).not.toContain(token);
  expect(said()).toContain(`tenon list ${url} --header "Authorization: Bearer <token>"`);
  const listed = await runCommand(["list", url]);
  expect(listed.stderr).toContain('send it: --header "Authorization: Bearer <token>"');
  for (const command of ["list", "doctor"]) {
    const { stdout, stderr } = await runCommand([command, url, "--header", `Authorization: Bearer ${ADA}x`]);
    expect(stdout + stderr).toContain("the token is not accepted");
    expect(stdout + stderr).not.toMatch(/Cannot connect.*Cannot connect/);
    expect(stdout + stderr).toContain("Check what is given with --header.");
  }
  expect((await fetch(url, { method: "POST" })).headers.get("www-authenticate")).toContain("Bearer");
});

it("a bundle has a URL of its own, with its servers and tools only, and for its groups only", async () => {
  const { toolsOf, clientOf, said, url } = await serving(team);
  expect(await toolsOf(ADA, "reading")).toEqual(["crm__pid", "docs__die", "docs__pid"]);
  expect(await toolsOf(CY, "reading")).toEqual(["docs__pid"]); // what its groups pick of it
  expect(await toolsOf(ADA, "deals")).toEqual(["crm__die", "crm__pid"]);
  await expect(toolsOf(BO, "deals")).rejects.toThrow("for other groups");
  await expect(toolsOf(undefined, "deals")).rejects.toThrow("Unauthorized");
  const deals = await clientOf(ADA, "deals");
  await expect(deals.callTool("docs__pid")).rejects.toMatchObject({ code: -32602 });
  for (const path of ["/nothing", "/deals/x", "/__proto__", "/constructor"])
    expect((await fetch(`${url}${path}`, { method: "POST", headers: { authorization: `Bearer ${ADA}` } })).status).toBe(404);
  await expect.poll(said).toContain(`Bundle deals at ${url}/deals`);
});

it("what is opened at one bundle belongs to it: its session is unknown at another and at the gateway", async () => {
  const { url } = await serving(team);
  const body = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = {
    authorization: `Bearer ${ADA}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const clientInfo = { name: "raw", version: "1.0.0" };
  const opened = await fetch(`${url}/deals`, {
    ...{ method: "POST", headers },
    body: body("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }),
  });
  const session = opened.headers.get("mcp-session-id")!;
  await opened.text();
  const statusAt = async (path: string, token = ADA): Promise<number> => {
    const own = { ...headers, authorization: `Bearer ${token}`, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    const response = await fetch(url + path, { method: "POST", headers: own, body: body("tools/list", {}) });
    await response.text();
    return response.status;
  };
  expect(await statusAt("/deals")).toBe(200);
  expect([await statusAt(""), await statusAt("/reading"), await statusAt("/deals", BO)]).toEqual([404, 404, 403]);
});

it("bundles work without tokens, on this machine", async () => {
  const { toolsOf } = await serving({ http: { port: 0 }, bundles: { reading: { servers: ["d*"] } } });
  expect(await toolsOf(undefined, "reading")).toEqual(["docs__die", "docs__pid"]);
  expect(await toolsOf(undefined)).toEqual(ALL);
});

it("a pick may name a tool by the server of the file and by the prefix that callers see", async () => {
  const prefixed = { crm: { ...entry, tenon: { prefix: "c" } }, docs: entry };
  const bundles = { seen: { pick: ["c__pid"] }, filed: { pick: ["crm__die"] } };
  const { toolsOf } = await serving({ http: { port: 0 }, bundles }, prefixed);
  expect([await toolsOf(undefined, "seen"), await toolsOf(undefined, "filed")]).toEqual([["c__pid"], ["c__die"]]);
});

it("tokens, groups and bundles change while it runs; whether tokens are needed does not", async () => {
  const { toolsOf, made, said, clientOf } = await serving(team);
  const bo = await clientOf(BO);
  expect((await bo.listTools()).tools).toHaveLength(3);
  const { ada, bo: own } = team.http.auth.tokens;
  await made.write({
    tenon: {
      ...PATIENT,
      http: { port: 0, auth: { tokens: { ada, bo: { ...own, groups: ["sales"] } } } },
      groups: team.groups,
      bundles: { writing: { servers: ["crm"] } },
    },
    mcpServers: servers,
  });
  await expect.poll(async () => (await bo.listTools()).tools.length, { timeout: 30_000 }).toBe(4);
  await expect(toolsOf(CY)).rejects.toThrow("refuses the token");
  expect(await toolsOf(ADA, "writing")).toEqual(["crm__die", "crm__pid"]);
  await expect(toolsOf(ADA, "deals")).rejects.toThrow("404");
  expect(said()).toContain("the settings were applied, and no server was restarted");
  await made.write({ tenon: { ...PATIENT, http: { port: 0 } }, mcpServers: servers });
  await expect.poll(said, { timeout: 30_000 }).toContain("takes effect when the gateway starts again: http.auth");
  await expect(toolsOf(undefined)).rejects.toThrow("Unauthorized");
});

it("who may use a bundle no more hears nothing by a stream that is open there", async () => {
  const shop = new McpServer({ name: "shop", version: "1.0.0" });
  shop.resource("shop://orders", {}, () => "none");
  const update = (): void => shop.resourceUpdated("shop://orders");
  const upstream = await serveHttp(shop, { port: 0 });
  onTestFinished(() => upstream.close());
  const entries = { crm: { url: upstream.url } };
  const dealsFor = (group: string): object => ({
    http: team.http,
    groups: { sales: {}, support: {} },
    bundles: { deals: { servers: ["crm"], groups: [group] } },
  });
  const { clientOf, made, said } = await serving(dealsFor("sales"), entries);
  const heard = (client: Client): string[] => {
    const uris: string[] = [];
    const watching = (async () => {
      for await (const change of client.listen({ resources: ["shop://orders"] })) uris.push(change.kind);
    })();
    watching.catch(() => undefined); // it ends with the client
    return uris;
  };
  const [ada, bo] = [heard(await clientOf(ADA, "deals")), heard(await clientOf(BO))];
  await expect.poll(() => (update(), ada.length > 0 && bo.length > 0), { timeout: 30_000 }).toBe(true);
  await made.write({ tenon: { ...PATIENT, ...dealsFor("support") }, mcpServers: entries });
  await expect.poll(said, { timeout: 30_000 }).toContain("the settings were applied");
  const twoMore = async (): Promise<void> => {
    const before = bo.length;
    await expect.poll(() => (update(), bo.length > before + 1), { timeout: 30_000 }).toBe(true);
  };
  await twoMore(); // what was sent before the change has come
  const before = ada.length;
  await twoMore();
  expect(ada).toHaveLength(before);
});

it("users of an authorization server come beside callers with tokens; their groups are a claim", async () => {
  const idp = await startAuthorizationServer();
  onTestFinished(() => idp.close());
  const audience = "https://gateway.example/mcp";
  const auth = { ...team.http.auth, issuer: idp.issuer, audience, allowLoopback: true };
  const { toolsOf, url } = await serving({ ...team, http: { port: 0, auth } });
  const tokenFor = (aud: string, groups: string[]): Promise<string> =>
    idp.sign("at+jwt", { iss: idp.issuer, sub: "eve", aud, exp: Date.now() / 1_000 + 60, groups });
  expect(await toolsOf(await tokenFor(audience, ["support"]))).toEqual(["crm__pid", "docs__die", "docs__pid"]);
  expect(await toolsOf(await tokenFor(audience, ["sales"]), "deals")).toEqual(["crm__die", "crm__pid"]);
  expect(await toolsOf(await tokenFor(`${audience}/deals`, ["sales"]), "deals")).toEqual(["crm__die", "crm__pid"]);
  // for the bundle only
  await expect(toolsOf(await tokenFor(`${audience}/deals`, ["sales"]))).rejects.toThrow("refuses the token");
  expect(await toolsOf(ADA)).toEqual(ALL);
  const { origin } = new URL(url);
  const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp/deals`);
  expect(await metadata.json()).toMatchObject({ resource: `${audience}/deals`, authorization_servers: [idp.issuer] });
});

it("gateway check says what each bundle and group has, and what fits nothing; it shows no token", async () => {
  const made = await configFile({
    tenon: { ...team, groups: { ...team.groups, late: { pick: ["docs__nothing"] } } },
    mcpServers: servers,
  });
  await writeFile(join(made.folder, "bo-token"), BO);
  const user = { env: { ...made.user.env, ADA_TOKEN: ADA } };
  const { stdout, code } = await runCommand(["gateway", "check", made.file, "--yes"], user);
  expect(code).toBe(0);
  expect(stdout).toContain("bundle reading at /mcp/reading: crm__pid, docs__die, docs__pid");
  expect(stdout).toContain("bundle deals at /mcp/deals for sales: crm__die, crm__pid");
  expect(stdout).toContain("group *: docs__pid");
  expect(stdout).toContain("callers with a token: ada, bo, cy");
  expect(stdout).toContain('field "tenon.groups.late.pick[0]": fits nothing that the servers offer');
  const json = await runCommand(["gateway", "check", made.file, "--yes", "--json"], user);
  expect(JSON.parse(json.stdout)).toMatchObject({
    callers: ["ada", "bo", "cy"],
    bundles: [{ name: "reading" }, { name: "deals" }],
  });
  for (const token of [ADA, BO, CY]) expect(json.stdout + stdout).not.toContain(token);
});

it.each<[string, object, string]>([
  [
    "a token that can be guessed",
    { http: { auth: { tokens: { ada: { token: "short" } } } } },
    'auth.tokens.ada.token": must have 16',
  ],
  [
    "a token with a space",
    { http: { auth: { tokens: { a: { token: "a token with spaces" } } } } },
    "has characters that no token",
  ],
  ["a token of two", { http: { auth: { tokens: { a: { token: ADA }, b: { token: ADA } } } } }, 'is the token of "a" too'],
  ["a caller without a token", { http: { auth: { tokens: { ada: { groups: [] } } } } }, 'needs "token"'],
  ["a variable that is not set", { http: { auth: { tokens: { a: { token: "${env:NOT_SET}" } } } } }, "NOT_SET"],
  ["callers of nothing", { http: { auth: {} } }, 'needs "tokens", or "issuer" and "audience"'],
  ["a bundle of nothing", { bundles: { a: {} } }, 'is empty: give "servers"'],
  ["a bundle whose name is no part of a URL", { bundles: { "a/b": { servers: ["crm"] } } }, "part of the URL"],
  ["a bundle of an unknown server", { bundles: { a: { servers: ["crn"] } } }, 'names no server of the file: "crn"'],
  ["an empty rule", { groups: { a: { pick: [{}] } } }, "is empty, and would fit everything"],
  ["an unknown member", { groups: { a: { picks: [] } } }, 'Did you mean "pick"'],
])("the file is refused for %s", async (_, tenon, message) => {
  const made = await configFile({ tenon, mcpServers: servers });
  const { code, stdout, stderr } = await runCommand(["gateway", "check", made.file, "--yes"], made.user);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toContain(message);
  expect(stdout + stderr).not.toContain(ADA);
});

it("gateway schema prints a JSON Schema that the file of this test fits, and a mistyped one does not", async () => {
  const { stdout } = await runCommand(["gateway", "schema"]);
  const isValid = new Ajv2020({ strict: false }).compile(JSON.parse(stdout) as object);
  expect(isValid({ $schema: "./gateway.schema.json", tenon: team, mcpServers: servers })).toBe(true);
  expect(isValid({ tenon: { ...team, bundle: {} } })).toBe(false);
  expect(isValid({ mcpServers: { a: { url: "https://a.example", tenon: { auth: { type: "magic" } } } } })).toBe(false);
  const page = await readFile(fileURLToPath(new URL("../../../../docs/serving/gateway-team.md", import.meta.url)), "utf8");
  const [file] = /(?<=```json\n)[^]*?(?=```)/.exec(page)!;
  expect(isValid(JSON.parse(file))).toBe(true);
});
