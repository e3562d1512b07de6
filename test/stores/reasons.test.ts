/** What the operator is told of an engine that cannot be reached: which one, and why. */
import { expect, onTestFinished, test } from "vitest";
import { natsStores } from "tenon/stores/nats";
import { postgresStores } from "tenon/stores/postgres";
import { redisStores, StoreUnavailableError, type Stores } from "tenon/stores/redis";
import { freePort } from "../support/free-port.ts";

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
  for (const url of ["/var/run/postgresql tenon", "socket:/var/run/postgresql?db=tenon", "postgres:///tenon", "postgres://user@/tenon"])
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
    const stores = closedAtEnd(make({ url: `${scheme}//127.0.0.1:${await freePort()}`, timeout: 60_000, onError: () => undefined }));
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
    client: { socket: { lookup, reconnectStrategy: false } },
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
