/**
 * What a store finds that it has not written: damaged records, tables of other programs, schemas that are not for tables of
 * programs.
 */
import { PGlite } from "@electric-sql/pglite";
import { rmSync } from "node:fs";
import { inspect } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { McpUsageError } from "tenon";
import { AuthorizationError } from "tenon/auth";
import { postgresStores, type Stores } from "tenon/stores/postgres";
import { newDatabase } from "./engines.ts";

let pglite: PGlite;
let folder: string;
beforeAll(async () => {
  folder = await newDatabase();
  pglite = await PGlite.create(folder);
});
afterAll(async () => {
  await pglite.close();
  rmSync(folder, { recursive: true, force: true });
});

function storesIn(schema: string): Stores {
  const stores = postgresStores({ pglite, schema });
  onTestFinished(() => stores.close());
  return stores;
}

test.each(['{"token":"key-secret', '{"token":key-secret}', '"key-secret"', "", "null", "[]"])(
  "a damaged login is refused without its text, and others stay readable: %j",
  async (text) => {
    const { logins } = storesIn("damaged");
    await logins.set("one", { token: "a" });
    await pglite.query("update damaged.entry set value = $1", [text]);
    await logins.set("other", { token: "b" });
    const error: unknown = await Promise.resolve(logins.get("one")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthorizationError);
    expect(String(error)).toContain("The stored login is damaged");
    expect(inspect(error)).not.toContain("secret");
    expect(await logins.get("other")).toEqual({ token: "b" });
    await logins.delete("one");
    expect(await logins.get("one")).toBeUndefined();
  },
);

test.each([
  ["text", "'1.2.3'"],
  ["int", "1"],
  ["int", "99"],
])("the table of another program stays as it is: version %s %s", async (type, version) => {
  await pglite.exec(
    `drop schema if exists other cascade; create schema other; create table other.version (version ${type}); ` +
      `insert into other.version values (${version})`,
  );
  await expect(storesIn("other").ready()).rejects.toThrow(
    new McpUsageError(
      'Schema "other" of PostgreSQL has a table "version" of another program: name another one in the option "schema"',
    ),
  );
  const { rows } = await pglite.query(
    "select table_name, (select version::text from other.version) as version from information_schema.tables " +
      "where table_schema = 'other'",
  );
  expect(rows).toEqual([{ table_name: "version", version: version.replaceAll("'", "") }]);
});

test("its own tables are used again, and a schema of PostgreSQL is refused", async () => {
  await storesIn("own").logins.set("one", { token: "a" });
  expect(await storesIn("own").logins.get("one")).toEqual({ token: "a" });
  for (const schema of ["pg_catalog", "pg_mine", "information_schema"])
    expect(() => postgresStores({ pglite, schema })).toThrow(
      `Option "schema" must not be "${schema}", which belongs to PostgreSQL`,
    );
});
