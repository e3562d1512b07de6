/** `postgresStores()`: every store of the SDK in PostgreSQL, or in PGlite inside this process. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { explained, reportTo } from "../store-error.ts";
import { assertUrl, checkTimeout, DEFAULT_TIMEOUT, STORE_KEYS, storesOver } from "../engine-stores.ts";
import { logError, type StoreOptions, type Stores } from "../stores.ts";
import { postgresBus } from "./bus.ts";
import { PostgresConnection } from "./connection.ts";
import type { Database } from "./database.ts";
import { PostgresEventLog } from "./event-log.ts";
import { PgDatabase } from "./pg-database.ts";
import { PgliteDatabase, type PgliteInstance } from "./pglite-database.ts";
import { PostgresKeyedEngine } from "./keyed-engine.ts";
import { Sweeper } from "./sweeper.ts";
import { PostgresTaskStore } from "./task-store.ts";

/** Options of {@link postgresStores}. */
export interface PostgresStoresOptions extends StoreOptions {
  /** Where PostgreSQL is: `postgres://user:password@host:5432/database`. Default: the variables `PGHOST`, `PGUSER` and so on. */
  readonly url?: string;
  /** More options of `Pool` of the package `pg`: `ssl`, `password`, the number of connections (`max`, default 10). */
  readonly pool?: Readonly<Record<string, unknown>>;
  /**
   * Another address for notifications. Name it if `url` leads to a pooler that shares connections between transactions, such as
   * PgBouncer: notifications do not pass through it.
   */
  readonly listenUrl?: string;
  /** PostgreSQL inside this process, instead of a server: `new PGlite("./data")`. No other process may use its folder. You close it. */
  readonly pglite?: PgliteInstance;
  /** The schema with the tables. It is made if it does not exist. Default `tenon`. */
  readonly schema?: string;
}

const KEYS: OptionKeys<PostgresStoresOptions> = {
  url: 1,
  pool: 1,
  listenUrl: 1,
  pglite: 1,
  schema: 1,
  ...STORE_KEYS,
};

/** Milliseconds a query of PGlite may take: it is never away, and runs on the thread of its caller. */
const PGLITE_TIMEOUT = 30_000;

/**
 * Stores in PostgreSQL 14 or newer, for all processes that use the same database and schema; needs the package `pg`. With `pglite`
 * they are in a folder of this process; needs the package `@electric-sql/pglite`.
 *
 * @throws TypeError, RangeError if an option has a wrong name or value
 */
export function postgresStores(options: PostgresStoresOptions = {}): Stores {
  assertKnown("postgresStores()", options, KEYS);
  const { schema = "tenon", url, listenUrl } = options;
  const onError = reportTo("PostgreSQL", options.onError ?? logError, (): boolean => connection.isClosed);
  assertAddress("url", url);
  assertAddress("listenUrl", listenUrl);
  if (!/^[a-z_][a-z0-9_]{0,40}$/.test(schema))
    throw new TypeError(`Option "schema" must be lower-case letters, digits and _, not "${schema}"`);
  if (/^pg_|^information_schema$/.test(schema)) throw new TypeError(`Option "schema" must not be "${schema}", which belongs to PostgreSQL`);
  const timeout = checkTimeout(options.timeout ?? (options.pglite === undefined ? DEFAULT_TIMEOUT : PGLITE_TIMEOUT));
  const connection = new PostgresConnection(databaseOf(options, timeout, onError), schema, timeout);
  const sweeper = new Sweeper(connection, onError);
  const engine = new PostgresKeyedEngine(connection, sweeper);
  return {
    events: new PostgresEventLog(connection, sweeper),
    bus: postgresBus(connection, onError),
    ...storesOver(engine, options),
    tasks: new PostgresTaskStore(connection, onError),
    ready: () => explained("PostgreSQL", connection.ready()),
    close: () => connection.close(),
  };
}

function databaseOf({ url, pool, listenUrl, pglite }: PostgresStoresOptions, timeout: number, onError: (error: unknown) => void): Database {
  if (pglite === undefined) {
    const config = url === undefined ? { ...pool } : { ...pool, connectionString: url };
    return new PgDatabase({ config, listenUrl, timeout, onError });
  }
  if (url !== undefined || pool !== undefined) throw new TypeError('Options "pglite" and "url" exclude each other');
  // A program without types may pass the folder.
  if (typeof pglite?.query !== "function")
    throw new TypeError('Option "pglite" must be a database of "@electric-sql/pglite", such as new PGlite("./data")');
  return new PgliteDatabase(pglite);
}

/** The package `pg` also takes the path of a socket, and a URL without a host. @throws TypeError */
function assertAddress(option: string, text: string | undefined): void {
  if (text === undefined || text.startsWith("/")) return;
  assertUrl(option, text.replace("@/", "@localhost/"), ["postgres:", "postgresql:", "socket:"]);
}
