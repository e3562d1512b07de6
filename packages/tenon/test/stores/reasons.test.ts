/** What the operator is told of an engine that cannot be reached: which one, and why. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { inspect } from "node:util";
import pg from "pg";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores, StoreUnavailableError, type Stores } from "tenon/stores/redis";
import { freePort } from "../../../../scripts/free-port.mjs";
import { assertStarted, startEngine, startNats, startRedis, type Engine } from "./engines.ts";

const ENGINES = {
  Redis: { make: redisStores, scheme: "redis:", others: ["http:", "postgres:"] },
  PostgreSQL: { make: postgresStores, scheme: "postgres:", others: ["mysql:", "redis:"] },
  NATS: { make: natsStores, scheme: "nats:", others: ["http:", "redis:"] },
} as const;
const engines = Object.entries(ENGINES);

function closedAtEnd(stores: Stores): Stores {
  onTestFinished(() => stores.close());
  return stores;
}

test.each(engines)(
  "%s: a URL of something else is refused by name, and its password is not repeated",
  (_name, { make, scheme, others }) => {
    for (const other of others) {
      const act = (): unknown => make({ url: `${other}//user:secret@localhost/x` });
      expect(act).toThrow(TypeError);
      expect(act).toThrow(new RegExp(`^Option "url" must be a ${scheme}.* URL, not ${other}$`));
    }
    for (const url of ["", "localhost", `${scheme}//user:secret@bad host:x/`]) {
      expect(() => make({ url })).toThrow(new RegExp(`^Option "url" must be a ${scheme}.* URL$`));
    }
  },
);

test("PostgreSQL: the address for notifications is checked too; the path of a socket is one", () => {
  expect(() => postgresStores({ listenUrl: "mysql://localhost" })).toThrow('Option "listenUrl" must be a postgres:');
  for (const url of [
    "/var/run/postgresql tenon",
    "socket:/var/run/postgresql?db=tenon",
    "postgres:///tenon",
    "postgres://user@/tenon",
  ])
    expect(() => postgresStores({ url })).not.toThrow();
});

test.each(engines)("%s: `ready()` says why the engine is not available", async (name, { make, scheme }) => {
  const url = `${scheme}//127.0.0.1:${await freePort()}`;
  const failure: unknown = await closedAtEnd(make({ url, timeout: 60_000, onError: () => undefined }))
    .ready()
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StoreUnavailableError);
  expect(String(failure)).toMatch(new RegExp(`: ${name} is not available: \\S`));
  expect(String(failure)).toMatch(/ECONNREFUSED|refused/i);
});

test.each(engines)(
  "%s: a failure of another use does not say more than that the store is not available",
  async (_name, { make, scheme }) => {
    const stores = closedAtEnd(
      make({ url: `${scheme}//127.0.0.1:${await freePort()}`, timeout: 60_000, onError: () => undefined }),
    );
    await expect(stores.states.get("one")).rejects.toMatchObject({ message: "The store is not available" });
  },
);

test("an error without a text gets one, such as that of a host with two addresses", async () => {
  const port = await freePort();
  const addresses = [
    { address: "127.0.0.1", family: 4 },
    { address: "127.0.0.2", family: 4 },
  ];
  const lookup = (_host: string, _options: unknown, found: (error: null, all: unknown) => void): void => found(null, addresses);
  const reported: unknown[] = [];
  const stores = redisStores({
    url: `redis://two.example:${port}`,
    // Node gives up an address after 250 ms by itself: on a busy machine, before the address has refused.
    client: { socket: { lookup, reconnectStrategy: false, autoSelectFamilyAttemptTimeout: 60_000 } },
    timeout: 60_000,
    onError: (error) => void reported.push(error),
  });
  const failure = String(
    await closedAtEnd(stores)
      .ready()
      .catch((error: unknown) => error),
  );
  for (const text of [failure, ...reported.map(String)])
    expect(text).toMatch(new RegExp(`Redis.*ECONNREFUSED 127.0.0.1:${port}, .*ECONNREFUSED 127.0.0.2:${port}`));
  expect(reported).not.toHaveLength(0);
});

// ---- what the operator can do ----

const SECRET = "hunter2-of-the-operator";
const [START, NAME, CHECK] = ["Start it, or name another address", "Name a password", "Check the user and the password"];
const [EXISTS, HOST, TLS] = [
  "Name a database that exists",
  "Check the name of the host",
  "Turn on TLS there, or connect without it",
];
const UNCLEAR = "Check the address, and whether both ends use TLS or none does";

/** Addresses of an engine that is there, whose users have passwords, and what the operator can do about each. */
type Addresses = (port: number) => readonly (readonly [url: string, reason: RegExp, advice: string])[];

const PROTECTED: Record<keyof typeof ENGINES, { start: (context: TestContext) => Promise<Engine>; addresses: Addresses }> = {
  Redis: {
    start: async (context) => assertStarted(await startRedis(["--requirepass", "right"]), "redis", context),
    addresses: (port) => [
      [`redis://:${SECRET}@127.0.0.1:${port}`, /WRONGPASS/, CHECK],
      [`redis://127.0.0.1:${port}`, /it asks for a password/, NAME],
      [`redis://:right@127.0.0.1:${port}/99`, /DB index is out of range/, EXISTS],
      [`rediss://:${SECRET}@127.0.0.1:${port}`, /longer than 1500 ms/, UNCLEAR],
      [`redis://:${SECRET}@no-such-host.invalid:${port}`, /ENOTFOUND no-such-host.invalid/, HOST],
    ],
  },
  PostgreSQL: {
    start: startPostgresWithPasswords,
    addresses: (port) => [
      [`postgres://me:${SECRET}@127.0.0.1:${port}/postgres`, /password authentication failed for user "me"/, CHECK],
      [`postgres://me@127.0.0.1:${port}/postgres`, /it asks for a password/, NAME],
      [`postgres://tenon:${SECRET}@127.0.0.1:${port}/nothing`, /database "nothing" does not exist/, EXISTS],
      [
        `postgres://stranger:${SECRET}@127.0.0.1:${port}/postgres`,
        /no pg_hba.conf entry/,
        "Check the user, the database and whether to use TLS",
      ],
      [`postgres://tenon:${SECRET}@127.0.0.1:${port}/postgres?uselibpqcompat=true&sslmode=require`, /does not support SSL/, TLS],
      [`postgres://tenon:${SECRET}@no-such-host.invalid:${port}/postgres`, /ENOTFOUND no-such-host.invalid/, HOST],
    ],
  },
  NATS: {
    start: async (context) => assertStarted(await startNats('authorization { user: "me", password: "right" }'), "nats", context),
    addresses: (port) => [
      [`nats://me:${SECRET}@127.0.0.1:${port}`, /Authorization Violation/, CHECK],
      [`nats://127.0.0.1:${port}`, /Authorization Violation/, CHECK],
      [`tls://me:${SECRET}@127.0.0.1:${port}`, /does not support 'tls'/, TLS],
      [`nats://me:${SECRET}@no-such-host.invalid:${port}`, /ENOTFOUND no-such-host.invalid/, HOST],
    ],
  },
};

/** The user "me" needs a password, "tenon" needs none, and there is no other. */
async function startPostgresWithPasswords(context: TestContext): Promise<Engine> {
  const engine = assertStarted(await startEngine("postgres"), "postgres", context);
  const client = new pg.Client(engine.url);
  await client.connect();
  await client.query("create user me password 'right'");
  const { rows } = await client.query<{ hba_file: string }>("show hba_file");
  writeFileSync(rows[0]!.hba_file, "host all me 127.0.0.1/32 scram-sha-256\nhost all tenon 127.0.0.1/32 trust\n");
  await client.query("select pg_reload_conf()");
  await client.end();
  return engine;
}

/** A server that accepts connections and says nothing. */
async function silent(): Promise<{ readonly port: number; readonly connected: Promise<unknown> }> {
  const server: Server = createServer((socket) => void sockets.push(socket));
  const sockets: { destroy(): unknown }[] = [];
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, connected: once(server, "connection") }; // it listens on a port
}

test.for(engines)(
  "%s: each failure to connect is one line with the reason and what to do, and no text has the password",
  async ([name, { make, scheme }], context) => {
    const engine = await PROTECTED[name as keyof typeof ENGINES].start(context);
    onTestFinished(() => engine.stop());
    const none = `${scheme}//me:${SECRET}@127.0.0.1:${await freePort()}`;
    const mute = `${scheme}//me:${SECRET}@127.0.0.1:${(await silent()).port}`;
    const addresses = PROTECTED[name as keyof typeof ENGINES].addresses(Number(new URL(engine.url).port));
    for (const [url, reason, advice] of [
      ...addresses,
      [none, /ECONNREFUSED 127.0.0.1/, START],
      [mute, /timeout|longer/, UNCLEAR],
    ] as const) {
      const reports: unknown[] = [];
      const timeout = advice === UNCLEAR ? 1_500 : 60_000;
      const stores = make({ url, timeout, onError: (error) => void reports.push(error) });
      const failures = [await failureOf(stores.ready()), await failureOf(stores.states.get("one"))];
      await stores.close();
      const text = (failures[0] as Error).message;
      expect(text).toMatch(reason);
      expect(text).toMatch(new RegExp(`^${name} is not available: [^\\n]*\\. ${advice} \\(option "url"\\)$`));
      for (const report of reports) expect(String(report)).toContain(name);
      expect(inspect([failures, reports], { depth: 20, showHidden: true })).not.toContain(SECRET);
    }
  },
);

test.for(engines)("%s: stores whose address responds to nothing can be closed", async ([, { make, scheme }]) => {
  const { port, connected } = await silent();
  const stores = make({ url: `${scheme}//127.0.0.1:${port}`, timeout: 500, onError: () => undefined });
  const opening = [stores.ready(), stores.states.get("one")].map(failureOf);
  const subscribing = stores.bus.subscribe("topic", () => undefined);
  await connected;
  await stores.close();
  for (const failure of await Promise.all(opening)) expect(failure).toBeInstanceOf(StoreUnavailableError);
  await subscribing;
});

const failureOf = (work: unknown): Promise<unknown> =>
  Promise.resolve(work).then(
    () => "none",
    (error: unknown) => error,
  );
