/**
 * The members `tenon` of a configuration file: rules, quotas, credentials, callers, files; faults. Needs a build.
 */
import { readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Client } from "tenon";
import { serveHttp } from "tenon/node";
import { runCommand } from "../cli/run-command.ts";
import { startCommand } from "../cli/start-command.ts";
import { clientWith, companyServer, GATEWAY_CLIENT, identityProvider } from "../../../tenon/test/gateway/company.ts";
import { configFile } from "../../../tenon/test/gateway/support.ts";
import { clientOf, entry, names } from "./served-file.ts";

it("serves what the rules of the file and of the command line allow, under the prefix of the file", async () => {
  const made = await configFile({
    tenon: { deny: [{ server: "b", name: "d*" }], instructions: "Be brief" },
    mcpServers: { a: { ...entry, tenon: { allow: ["p*"], prefix: "one" } }, b: entry, c: entry },
  });
  const client = await clientOf(made, "--deny", "c__*");
  expect(await names(client)).toEqual(["one__pid", "b__pid"]);
  expect(client.instructions).toContain("Be brief");
  await expect(client.callTool("one__die")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: one__die" });
  await expect(client.callTool("c__pid")).rejects.toMatchObject({ code: -32602 });
  const only = await clientOf(made, "--only", "b__*");
  expect(await names(only)).toEqual(["b__pid"]);
});

it("limits what a caller asks of a server, and keeps the audit log and the pins beside the file", async () => {
  const made = await configFile({
    tenon: {
      quota: { requests: 1_000 },
      audit: { file: "log/../audit.jsonl", contents: true },
      pins: "pins.json",
      search: { pinned: ["a__pid"] },
    },
    mcpServers: { a: { ...entry, tenon: { quota: { requests: 2 } } }, b: entry },
  });
  const client = await clientOf(made);
  expect(await names(client)).toEqual(["search_tools", "call_tool", "a__pid"]);
  for (let call = 0; call < 2; call++) await client.callTool("a__pid");
  await expect(client.callTool("a__pid")).rejects.toMatchObject({ data: { limit: "quotas.requests", max: 2, server: "a" } });
  for (let call = 0; call < 3; call++) await client.callTool("b__pid");
  await client.close();
  const lines = (await readFile(join(made.folder, "audit.jsonl"), "utf8")).trim().split("\n");
  const calls = lines.map((line) => JSON.parse(line) as { method: string }).filter(({ method }) => method === "tools/call");
  expect(calls).toHaveLength(6);
  expect(calls[0]).toMatchObject({ name: "a__pid", result: { content: [{ type: "text" }] } });
  expect(
    Object.keys((JSON.parse(await readFile(join(made.folder, "pins.json"), "utf8")) as { servers: object }).servers),
  ).toEqual(["a", "b"]);
});

it("refuses a rule about a server that the file does not have, and names the nearest", async () => {
  const made = await configFile({
    tenon: { deny: [{ server: ["github", "githb"], name: "delete_*" }, { server: "off" }, { server: "later-*" }] },
    mcpServers: { github: entry, off: { ...entry, disabled: true } },
  });
  const line = (await readFile(made.file, "utf8")).split("\n").findIndex((text) => text.includes('"server": [')) + 1;
  for (const words of [
    ["gateway", "check", made.file],
    ["gateway", made.file],
  ]) {
    const { code, stderr } = await runCommand([...words, "--yes"], made.user);
    expect(code).not.toBe(0);
    expect(stderr.match(/names no server/g)).toHaveLength(1);
    expect(stderr).toContain(
      `line ${line}, field "tenon.deny[0].server": names no server of the file: "githb". Did you mean "github"?`,
    );
  }
});

it("checks and serves 200 servers of one file, beside one that never responds", async () => {
  const server = new McpServer({ name: "one of many", version: "1.0.0" });
  server.tool("hello", {}, () => "Hello");
  const endpoint = await serveHttp(server, { port: 0 });
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(async () => {
    silent.closeAllConnections();
    silent.close();
    await endpoint.close();
  });
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`s${at}`, { url: endpoint.url }]));
  const made = await configFile({ mcpServers: many });
  const checked = await runCommand(["gateway", "check", made.file], made.user);
  expect(checked.code).toBe(0);
  expect(checked.stdout.match(/^s\d+: 1 tool/gm)).toHaveLength(200);
  await made.write({
    mcpServers: { ...many, silent: { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp` } },
  });
  const client = await clientOf(made);
  await expect.poll(async () => (await names(client)).length, { timeout: 90_000 }).toBe(200);
  expect((await client.callTool("s199__hello")).text).toBe("Hello");
});

it("refuses servers whose names would be one prefix, and names both", async () => {
  const made = await configFile({ mcpServers: { städte: entry, st_dte: entry } });
  const { code, stderr } = await runCommand(["gateway", "check", made.file, "--yes"], made.user);
  expect(code).not.toBe(0);
  expect(stderr).toContain(
    'Servers "städte" and "st_dte" would both have the prefix "st_dte": rename one, or set the option "prefix"',
  );
});

it("gets credentials for each server: from a file, its own, and by exchange for callers with their own [fault G8]", async () => {
  const idp = await identityProvider();
  const [fixed, own, exchanged] = await Promise.all([
    companyServer(idp.issuer),
    companyServer(idp.issuer),
    companyServer(idp.issuer),
  ]);
  const audience = "https://gateway.example/mcp";
  const grant = { issuer: idp.issuer, client: { id: GATEWAY_CLIENT.id, secret: "${file:secret}" }, scope: "read" };
  const made = await configFile({
    tenon: {
      http: { port: 0, auth: { issuer: idp.issuer, audience, allowLoopback: true } },
      deny: [{ users: "bob", server: "own" }],
    },
    mcpServers: {
      fixed: { url: fixed.url, tenon: { auth: { type: "token", token: "${file:token}" } } },
      own: { url: own.url, tenon: { auth: { type: "clientCredentials", ...grant } } },
      exchanged: { url: exchanged.url, tenon: { auth: { type: "tokenExchange", ...grant } } },
    },
  });
  await writeFile(join(made.folder, "token"), await idp.token("robot", fixed.url));
  await writeFile(join(made.folder, "secret"), `${GATEWAY_CLIENT.secret}\n`);
  const tokens = { ada: await idp.token("ada", audience), bob: await idp.token("bob", audience) };
  const who = async (url: string): Promise<unknown> => {
    const [ada, bob] = await Promise.all([clientWith(url, tokens.ada), clientWith(url, tokens.bob)]);
    const call = async (client: Client, server: string): Promise<string | undefined> =>
      (await client.callTool(`${server}__who`)).text;
    const seen = [await call(ada, "fixed"), await call(ada, "own"), await call(ada, "exchanged"), await call(bob, "exchanged")];
    await expect(call(bob, "own")).rejects.toMatchObject({ code: -32602 });
    await expect(connect(url)).rejects.toThrow("Unauthorized");
    return seen;
  };
  let seen: Promise<unknown> | undefined;
  const ended = await runCommand(["gateway", made.file, "--http", "--yes"], {
    ...made.user,
    onStderr: (text, kill) => {
      const url = /http:\/\/\S+\/mcp/.exec(text)?.[0];
      if (url === undefined || seen !== undefined) return;
      seen = who(url).finally(() => kill("SIGINT"));
      seen.catch(() => undefined); // awaited below
    },
  });
  expect(await seen).toEqual(["robot by ide", "gateway by gateway", "ada by gateway", "bob by gateway"]);
  const sent = JSON.stringify([fixed.site.seen, own.site.seen, exchanged.site.seen]);
  for (const token of Object.values(tokens)) expect(sent).not.toContain(token);
  expect(ended.stderr).not.toContain(GATEWAY_CLIENT.secret);
  const checked = await runCommand(["gateway", "check", made.file], made.user);
  expect(checked.stdout).toContain("own: 3 tools, 1 prompt, 1 resource (auth: clientCredentials)");
  expect(checked.stdout).toContain("exchanged: its lists differ by caller (auth: tokenExchange)");
  expect(checked.stdout).toContain("all servers: http, deny");
});

it("names line, server and field of each fault, and no value", async () => {
  const made = await configFile({
    tenon: { serach: true, quota: { requests: "many" }, http: { auth: { issuer: "https://login.example" } } },
    mcpServers: {
      a: {
        ...entry,
        tenon: { quota: { requests: 0 }, share: "s3cr3t", allow: [{ kind: "tol" }, {}] },
      },
      p: { ...entry, tenon: { auth: { type: "token", token: "s3cr3t" } } },
      b: { url: "https://b.example/mcp", tenon: { auth: { type: "magic", token: "s3cr3t" }, deny: "die" } },
      u: { url: "https://u.example/mcp", tenon: { auth: { type: "userLogin", assumePkce: true } } },
      v: { url: "https://v.example/mcp", tenon: { auth: { type: "userLogin", resource: true } } },
      w: {
        url: "https://w.example/mcp",
        tenon: {
          auth: { type: "userLogin", issuer: "https://i.example", assumePkce: true, resource: false, callbackPath: "/b" },
        },
      },
      c: {
        url: "https://c.example/mcp",
        tenon: { auth: { type: "clientCredentials", issuer: "https://i.example", client: { id: "x" } } },
      },
      d: { url: "https://d.example/mcp", tenon: { auth: { type: "token", token: "${file:none}" }, prefix: "no good" } },
    },
  });
  const { code, stderr } = await runCommand(["gateway", "check", made.file, "--yes"], made.user);
  expect(code).not.toBe(0);
  const text = (await readFile(made.file, "utf8")).split("\n");
  const lineOf = (part: string): number => text.findIndex((line) => line.includes(part)) + 1;
  for (const part of [
    `line ${lineOf('"serach"')}, field "tenon.serach": is not known. Did you mean "search"?`,
    `line ${lineOf('"many"')}, field "tenon.quota.requests": must be a number`,
    `line ${lineOf('"auth": {')}, field "tenon.http.auth": needs "audience"`,
    `line ${lineOf('"tol"')}, server "a", field "tenon.allow[0].kind": must be one of tool, prompt, resource, template`,
    `server "a", field "tenon.allow[1]": is empty, and would fit everything`,
    `server "p", field "tenon.auth": is for servers at a URL; a program gets its credentials by "env"`,
    `server "a", field "tenon.quota": `,
    `server "a", field "tenon.share": Option "share" must be`,
    `server "b", field "tenon.auth.type": must be one of token, clientCredentials, tokenExchange, userLogin`,
    `server "b", field "tenon.deny": must be a list`,
    `server "u", field "tenon.auth": Option "assumePkce" needs option "issuer"`,
    `server "v", field "tenon.auth": Option "resource" must be false`,
    `server "c", field "tenon.auth": Option "client" needs a secret or a key`,
    `server "d", field "tenon.auth.token": \${file:none} does not exist`,
  ])
    expect(stderr).toContain(part);
  expect(stderr).not.toContain('server "w"');
  expect(stderr.replace(/Option "share"[^\n]*/, "")).not.toContain("s3cr3t");
});

it.each([
  [{}, "tenon-gateway"],
  [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=by-attributes,service.namespace=shop" }, "by-attributes"],
  [{ OTEL_SERVICE_NAME: "front", OTEL_RESOURCE_ATTRIBUTES: "service.name=by-attributes" }, "front"],
])("with the environment %j the metrics are of the service %s", async (env, name) => {
  const made = await configFile({ mcpServers: { a: entry } });
  let seen: Promise<string> | undefined;
  // OpenTelemetry reads the environment of its process.
  const ended = await startCommand(["gateway", made.file, "--http", "--port", "0", "--metrics", "0", "--yes"], {
    env: { ...made.user.env, ...env },
    onStderr: (text, kill) => {
      const url = /http:\/\/\S+\/metrics/.exec(text)?.[0];
      if (url === undefined || !/http:\/\/\S+\/mcp/.test(text) || seen !== undefined) return;
      seen = fetch(url)
        .then((response) => response.text())
        .finally(() => kill("SIGINT"));
      seen.catch(() => undefined); // awaited below
    },
  });
  expect(await seen).toMatch(new RegExp(`^target_info\\{[^}]*service_name="${name}"`, "m"));
  expect(ended.code).toBe(0);
});

it("serves metrics for Prometheus by server, on this machine and under its own name only", async () => {
  const made = await configFile({ mcpServers: { a: entry, b: entry } });
  let endpoint: string | undefined;
  let seen: Promise<{ text: string; others: number[] }> | undefined;
  const look = async (url: string, metrics: string): Promise<{ text: string; others: number[] }> => {
    const client = await connect(url);
    await client.callTool("a__pid");
    await client.callTool("a__die").catch(() => undefined);
    await client.callTool("a__pid");
    await client.close();
    const text = await (await fetch(metrics)).text();
    const { port } = new URL(metrics);
    const statuses = [
      fetch(new URL("/", metrics)),
      fetch(metrics, { method: "POST" }),
      // `fetch` sends no other Host.
      new Promise<{ status: number }>((resolve, reject) => {
        get({ host: "127.0.0.1", port, path: "/metrics", headers: { host: "evil.example" } }, (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0 });
        }).on("error", reject);
      }),
    ];
    return { text, others: (await Promise.all(statuses)).map(({ status }) => status) };
  };
  const ended = await runCommand(["gateway", made.file, "--http", "--port", "0", "--metrics", "0", "--yes"], {
    ...made.user,
    onStderr: (text, kill) => {
      endpoint ??= /http:\/\/\S+\/metrics/.exec(text)?.[0];
      const url = /http:\/\/\S+\/mcp/.exec(text)?.[0];
      if (url === undefined || endpoint === undefined || seen !== undefined) return;
      seen = look(url, endpoint).finally(() => kill("SIGINT"));
      seen.catch(() => undefined); // awaited below
    },
  });
  const { text, others } = (await seen)!;
  expect(others).toEqual([404, 405, 403]);
  expect(text).toMatch(/^tenon_gateway_restarts_total\{[^}]*tenon_group_server="a"[^}]*\} 1$/m);
  expect(text).toMatch(/^tenon_gateway_restarts_total\{[^}]*tenon_group_server="b"[^}]*\} 0$/m);
  expect(text).toMatch(/^tenon_gateway_connections\{[^}]*tenon_group_server="a"[^}]*\} 1$/m);
  expect(text).toMatch(/^tenon_gateway_requests_waiting\{[^}]*tenon_group_server="a"[^}]*\} \d+$/m);
  expect(text).toMatch(/^mcp_client_operation_duration(?:_seconds)?_count\{[^}]*tenon_group_server="a"/m);
  expect(ended.code).toBe(0);
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo; // it listens on a port
  const refused = await runCommand(["gateway", made.file, "--metrics", String(port), "--yes"], made.user);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Metrics cannot be served on port ${port}: EADDRINUSE`) as string,
  });
});
