/**
 * The tables, and how they come to be. Steps are only added: processes of this version and of the one before run side by side.
 *
 * Columns that hold JSON are `text`: `jsonb` refuses some strings that JSON allows.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { Database, Queries } from "./database.ts";
import { EVENT_TABLES } from "./event-functions.ts";

/** A number for the lock of a set; any would do. */
const SET_LOCK = 7_436_004;

/** The lock is taken before the statement that counts, so that the statement sees what others have inserted. */
const JOIN = `create function $.join_1(s text, m text, ms double precision, most int) returns boolean language plpgsql as $f$
begin
  perform pg_advisory_xact_lock(${SET_LOCK}, hashtext(s));
  delete from $.member where set = s and until <= clock_timestamp();
  if not exists (select 1 from $.member where set = s and member = m) and (select count(*) from $.member where set = s) >= most then
    return false;
  end if;
  insert into $.member values (s, m, clock_timestamp() + ms * interval '1 millisecond')
    on conflict (set, member) do update set until = excluded.until;
  return true;
end $f$`;

/** The same. Of the members whose time is over it removes at most 100, so that no call waits while thousands expire together. */
const JOIN_2 = `create function $.join_2(s text, m text, ms double precision, most int) returns boolean language plpgsql as $f$
begin
  perform pg_advisory_xact_lock(${SET_LOCK}, hashtext(s));
  delete from $.member where ctid = any(array(
    select ctid from $.member where set = s and until <= clock_timestamp() limit 100 for update skip locked));
  if not exists (select 1 from $.member where set = s and member = m and until > clock_timestamp())
    and (select count(*) from $.member where set = s and until > clock_timestamp()) >= most then
    return false;
  end if;
  insert into $.member values (s, m, clock_timestamp() + ms * interval '1 millisecond')
    on conflict (set, member) do update set until = excluded.until;
  return true;
end $f$`;

/**
 * The same again, also for processes of the version before, because all must count together. `room` has the most members that a set can have, so
 * members are counted only when that reaches the limit, and joins do not wait longer the larger the set is.
 *
 * A member that is in the set for 10 seconds more is renewed without the lock: it is counted either way. A new member waits for no disk: what
 * is stored for it later is written after it, so a crash that loses the member loses that too.
 */
const JOIN_IN_ROOM = `create or replace function $.join_2(s text, m text, ms double precision, most int) returns boolean language plpgsql as $f$
declare members bigint;
begin
  update $.member set until = clock_timestamp() + ms * interval '1 millisecond'
    where set = s and member = m and until > clock_timestamp() + interval '10 seconds';
  if found then return true; end if;
  perform pg_advisory_xact_lock(${SET_LOCK}, hashtext(s));
  if not exists (select 1 from $.member where set = s and member = m and until > clock_timestamp()) then
    select size into members from $.room where set = s and until > clock_timestamp();
    if not found or members >= most then
      delete from $.member where ctid = any(array(
        select ctid from $.member where set = s and until <= clock_timestamp() limit 100 for update skip locked));
      select count(*) into members from $.member where set = s and until > clock_timestamp();
      if members >= most then return false; end if;
    end if;
    insert into $.room values (s, members + 1, clock_timestamp() + ms * interval '1 millisecond')
      on conflict (set) do update set size = excluded.size, until = excluded.until;
    perform set_config('synchronous_commit', 'off', true);
  end if;
  insert into $.member values (s, m, clock_timestamp() + ms * interval '1 millisecond')
    on conflict (set, member) do update set until = excluded.until;
  return true;
end $f$`;

/** Each step leads to the next version. `$.` is the name of the schema and a dot. */
const STEPS: readonly (readonly string[])[] = [
  [
    `create table $.entry (key text primary key, value text not null, until timestamptz)`,
    `create index entry_until on $.entry (until)`,
    `create table $.task (id text collate "C" primary key, owner text not null, created bigint not null, expires bigint not null,
       version bigint not null, ended boolean not null, worker text, lease bigint, record text not null) with (fillfactor = 70)`,
    `create index task_owner on $.task (owner, created, id)`,
    `create index task_lease on $.task (lease) where not ended`,
    `create index task_expires on $.task (expires)`,
  ],
  [
    `create table $.member (set text collate "C", member text collate "C", until timestamptz not null, primary key (set, member))`,
    `create index member_until on $.member (until)`,
    `create table $.counter (name text primary key, number bigint not null)`,
    JOIN,
    ...EVENT_TABLES,
  ],
  [JOIN_2],
  [
    `create table $.room (set text collate "C" primary key, size bigint not null, until timestamptz not null) with (fillfactor = 50)`,
    JOIN_IN_ROOM,
  ],
];

/** A number for the lock under which the schema is changed; any would do. */
const MIGRATION_LOCK = 7_436_001;

/** Creates what is missing. @param schema its name in quotes @throws McpUsageError if a newer version of this library, or another program, has made the tables */
export async function migrate(database: Database, schema: string): Promise<void> {
  await database.transaction(async (queries) => {
    await assertTakesWrites(queries);
    await queries.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await queries.query(`create schema if not exists ${schema}`);
    await queries.query(`create table if not exists ${schema}.version (version int not null)`);
    const [row] = await queries.query(`select version, to_regclass($1) is not null as has_entries from ${schema}.version`, [
      `${schema}.entry`,
    ]);
    const version = row === undefined ? 0 : Number(row["version"]);
    // Such as "public": the tables of a program there must stay as they are.
    if (row !== undefined && (row["has_entries"] !== true || !Number.isInteger(version)))
      throw new McpUsageError(
        `Schema ${schema} of PostgreSQL has a table "version" of another program: name another one in the option "schema"`,
      );
    if (version > STEPS.length) {
      throw new McpUsageError(
        `Schema ${schema} of PostgreSQL has version ${version}, and this library knows ${STEPS.length}: use a newer version of tenon`,
      );
    }
    if (version === STEPS.length) return;
    for (const step of STEPS.slice(version)) for (const statement of step) await queries.query(statement.replaceAll("$.", `${schema}.`));
    await queries.query(`delete from ${schema}.version`);
    await queries.query(`insert into ${schema}.version values ($1)`, [STEPS.length]);
  });
}

/** @throws McpUsageError */
async function assertTakesWrites(queries: Queries): Promise<void> {
  const [mode] = await queries.query("select current_setting('transaction_read_only') = 'on' as is_read_only");
  if (mode!["is_read_only"] !== true) return;
  throw new McpUsageError(
    'PostgreSQL takes no writes here: "default_transaction_read_only" is on, or it is a standby. Name the primary in the option "url"',
  );
}
