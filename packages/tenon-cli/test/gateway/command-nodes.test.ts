/** `tenon gateway --http --store`: two gateways of one file behind a balancer, with Redis. Needs a build. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, onTestFinished, vi, type TestContext } from "vitest";
import { connect, type Client } from "tenon";
import { runCommand } from "../cli/run-command.ts";
import { type Ended, startCommand } from "../cli/start-command.ts";
import { assertStarted, startEngine, type Engine } from "../../../tenon/test/stores/engines.ts";
import {
  Browser,
  clientWith,
  companyServer,
  GATEWAY_CLIENT,
  identityProvider,
  site,
  type IdentityProvider,
  type Site,
} from "../../../tenon/test/gateway/company.ts";

vi.setConfig({ testTimeout: 100_000 });

const entry = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../../../tenon/test/gateway/asking-server.mjs", import.meta.url))],
};
const KEYS = { requestState: { keys: ["${file:state-key}"] } };

let engine: Engine | undefined;
beforeAll(async () => void (engine = await startEngine("redis")));
afterAll(() => engine?.stop());

interface Setup {
  readonly file: string;
  readonly env: { readonly XDG_CONFIG_HOME: string };
}

/** A configuration with the keys beside it, and a user of its own. */
async function setup(config: object): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-gateways-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "state-key"), "a key of all gateways, of 32 bytes or more\n");
  await writeFile(join(folder, "login-key"), "another key of all gateways, for their logins\n");
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify(config));
  return { file, env: { XDG_CONFIG_HOME: join(folder, "user") } };
}

/** Starts a gateway on a free port. It is interrupted when the test has finished. */
async function startNode({ file, env }: Setup, store: string): Promise<string> {
  let stop: (() => Promise<Ended>) | undefined;
  onTestFinished(async () => {
    expect((await stop?.())?.code).toBe(0);
  });
  return new Promise<string>((resolve, reject) => {
    const ended = startCommand(["gateway", file, "--http", "--port", "0", "--store", store, "--yes"], {
      env,
      onStderr: (text, kill) => {
        stop = () => {
          kill("SIGINT");
          return ended;
        };
        const url = /at (http:\/\/127\.0\.0\.1:\d+)\/mcp\./.exec(text)?.[1];
        if (url !== undefined) resolve(url);
      },
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
}

/** Makes a place a balancer without affinity. Returns how many requests each node got. */
function balance(place: Site, nodes: readonly string[]): number[] {
  const counts = nodes.map(() => 0);
  let turn = 0;
  place.handle = (incoming, outgoing) => {
    const to = turn++ % nodes.length;
    counts[to]! += 1;
    const passed = request(
      new URL(incoming.url!, nodes[to]),
      { method: incoming.method!, headers: incoming.headers },
      (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  };
  return counts;
}

/** A client of the balancer who says that the user's name is Ada. */
async function clientOf(url: string, revision: "2025-11-25" | "2026-07-28"): Promise<Client> {
  const client = await connect(url, { revision, onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
  onTestFinished(() => client.close());
  return client;
}

async function twoNodes(config: object, place: Site, context: TestContext): Promise<number[]> {
  const { url } = assertStarted(engine, "redis", context);
  const made = await setup(config);
  return balance(place, [await startNode(made, url), await startNode(made, url)]);
}

it("serves sessions, and the rounds of clients without one, at any gateway", async (context) => {
  const place = await site();
  const counts = await twoNodes({ tenon: KEYS, mcpServers: { a: entry } }, place, context);
  const session = await clientOf(`${place.origin}/mcp`, "2025-11-25");
  for (let call = 0; call < 4; call++) expect((await session.callTool("a__ask")).text).toMatch(/^Ada at \d+$/);
  const rounds = await clientOf(`${place.origin}/mcp`, "2026-07-28");
  for (let call = 0; call < 4; call++) expect((await rounds.callTool("a__ask")).text).toMatch(/^Ada at \d+$/);
  expect(Math.min(...counts)).toBeGreaterThan(3);
});

it("counts quotas at each gateway by itself", async (context) => {
  const place = await site();
  await twoNodes({ tenon: { ...KEYS, quota: { requests: 1 } }, mcpServers: { a: entry } }, place, context);
  const client = await clientOf(`${place.origin}/mcp`, "2026-07-28");
  const ends = await Promise.all(
    Array.from({ length: 8 }, () =>
      client.callTool("a__pid").then(
        () => "ok",
        (error: Error) => error.message,
      ),
    ),
  );
  expect(ends.filter((end) => end === "ok")).toHaveLength(2);
  expect(ends.filter((end) => end !== "ok")).toEqual(
    Array.from({ length: 6 }, () => expect.stringContaining("Busy: more than 1 requests") as string),
  );
});

/** Logs a user in at the first call, and says what each call returned. */
async function logIn(
  place: Site,
  idp: IdentityProvider,
  calls: number,
): Promise<{ texts: (string | undefined)[]; pages: string[] }> {
  const url = `${place.origin}/mcp`;
  const pages: string[] = [];
  const client = await clientWith(url, await idp.token("ada", url), {
    revision: "2026-07-28",
    elicitationModes: ["url"],
    onElicit: async (question) => {
      pages.push(question.mode === "url" ? question.url : "");
      await new Browser("ada").visit(pages.at(-1)!);
      return { action: "accept" };
    },
  });
  const texts: (string | undefined)[] = [];
  for (let call = 0; call < calls; call++) texts.push((await client.callTool("hub__who")).text);
  return { texts, pages };
}

it("logs a user in once for all gateways", async (context) => {
  const place = await site();
  const idp = await identityProvider([`${place.origin}/login/identity`]);
  const foreign = await identityProvider();
  const hub = await companyServer(foreign.issuer);
  const client = { id: GATEWAY_CLIENT.id, secret: GATEWAY_CLIENT.secret };
  const config = {
    tenon: {
      ...KEYS,
      loginKey: "${file:login-key}",
      logins: { url: `${place.origin}/login`, identityProvider: { issuer: idp.issuer, client, allowLoopback: true } },
      http: { auth: { issuer: idp.issuer, audience: `${place.origin}/mcp`, allowLoopback: true } },
    },
    mcpServers: { hub: { url: hub.url, tenon: { auth: { type: "userLogin", allowLoopback: true } } } },
  };
  await twoNodes(config, place, context);
  const { texts, pages } = await logIn(place, idp, 4);
  for (const text of texts) expect(text).toMatch(/^ada by /);
  expect(pages).toHaveLength(1);
});

it("names the keys that all gateways need", async () => {
  const none = await setup({ mcpServers: {} });
  const command = (file: string): string[] => ["gateway", file, "--http", "--port", "0", "--store", "redis://127.0.0.1:1"];
  expect(await runCommand(command(none.file), none)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      `--store needs "requestState": { "keys": ["\${file:state-key}"] } in the member "tenon" of ${none.file}`,
    ) as string,
  });
  const hub = { url: "https://hub.example/mcp", tenon: { auth: { type: "userLogin" } } };
  const logins = await setup({ tenon: KEYS, mcpServers: { hub } });
  expect(await runCommand(command(logins.file), logins)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--store needs "loginKey": "${file:login-key}"') as string,
  });
  const short = await setup({ tenon: { loginKey: "s3cr3t", requestState: { keys: ["s3cr3t"] } }, mcpServers: {} });
  const { stderr } = await runCommand(command(short.file), short);
  expect(stderr).toContain('field "tenon.loginKey": must have 32 bytes or more');
  expect(stderr).toContain('field "tenon.requestState": Option "requestState.keys" must be');
  expect(stderr).not.toContain("s3cr3t");
});

it("starts without the store, says so in one line, and is not ready", async () => {
  const made = await setup({ tenon: KEYS, mcpServers: { a: entry } });
  let ready: Promise<number> | undefined;
  const ended = await runCommand(["gateway", made.file, "--http", "--port", "0", "--store", "redis://127.0.0.1:1", "--yes"], {
    env: made.env,
    onStderr: (text, kill) => {
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text)?.[0];
      if (url === undefined || ready !== undefined) return;
      ready = fetch(new URL("/readyz", url)).then(({ status }) => status);
      void ready.finally(() => kill("SIGINT"));
    },
  });
  expect(await ready).toBe(503);
  const about = ended.stderr.split("\n").filter((line) => line.includes("The store at"));
  expect(about).toHaveLength(1);
  expect(about[0]).toMatch(
    /is not available: .*\. Requests that need it fail until it is there: start it, or name another one with --store\.$/,
  );
  expect(ended.stderr).not.toMatch(/^ +at /m);
});
