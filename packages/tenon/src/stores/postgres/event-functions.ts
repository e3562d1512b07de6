/**
 * The tables of event logs in PostgreSQL, and what is done with them, each as one function: one round trip, and atomic. `$.` is the schema.
 *
 * A function that may make a stream holds the lock of its session, so that no stream is made while the session is dropped. Names of
 * functions end with a version: a change makes a new one, because processes of two versions run side by side.
 */
import { MAX_ADDITIONS, MAX_EVENTS, MAX_STREAM_SIZE } from "../../storage/limits.ts";

/** A number for the lock of a session; any would do. */
const SESSION_LOCK = 7_436_003;
const LOCK = `perform pg_advisory_xact_lock(${SESSION_LOCK}, hashtext(s))`;
const IS_DROPPED = `exists (select 1 from $.dropped where session = s and until > clock_timestamp())`;
const END = `clock_timestamp() + ms * interval '1 millisecond'`;

const GROW = `create function $.grow_1(held $.stream, d text[], e boolean, ms double precision) returns bigint language plpgsql as $f$
declare evicted int;
begin
  insert into $.event select held.session, held.name, held.last + place, data from unnest(d) with ordinality as new (data, place);
  held.last := held.last + cardinality(d);
  held.size := held.size + coalesce((select sum(length(data)) from unnest(d) as new (data)), 0);
  while held.first < held.last and (held.last - held.first >= ${MAX_EVENTS} or held.size > ${MAX_STREAM_SIZE}) loop
    delete from $.event where session = held.session and name = held.name and number = held.first returning length(data) into evicted;
    held.size := held.size - evicted;
    held.first := held.first + 1;
  end loop;
  update $.stream set last = held.last, first = held.first, size = held.size, ended = e, until = ${END}
    where session = held.session and name = held.name;
  return held.last;
end $f$`;

/** Finds the stream, or makes it. No row: its session was dropped. */
const MAKE = `create function $.make_1(s text, n text, w text, t text, ms double precision) returns setof $.stream language plpgsql as $f$
begin
  ${LOCK};
  if ${IS_DROPPED} then return; end if;
  delete from $.stream where session = s and name = n and until <= clock_timestamp();
  insert into $.stream values (s, n, w, t, 0, 1, 0, false, '{}', ${END}) on conflict do nothing;
  return query select * from $.stream where session = s and name = n for update;
end $f$`;

const OPEN = `create function $.open_1(s text, n text, w text, t text, ms double precision) returns text language plpgsql as $f$
declare held $.stream;
begin
  select * into held from $.make_1(s, n, w, t, ms);
  if not found then return 'gone'; end if;
  if held.writer <> w then return 'fenced'; end if;
  if held.ended then return 'gone'; end if;
  update $.stream set until = ${END} where session = s and name = n;
  return 'opened';
end $f$`;

const APPEND = `create function $.append_1(s text, n text, w text, f bigint, e boolean, ms double precision, d text[]) returns text language plpgsql as $f$
declare held $.stream; repeated int;
begin
  select * into held from $.stream where session = s and name = n and until > clock_timestamp() for update;
  if not found then return 'gone'; end if;
  if held.writer <> w then return 'fenced'; end if;
  repeated := held.last + 1 - f;
  if held.ended then return case when repeated >= cardinality(d) then 'kept' else 'gone' end; end if;
  if repeated < 0 then return held.last; end if;
  perform $.grow_1(held, d[repeated + 1:], e, ms);
  return 'kept';
end $f$`;

const ADD = `create function $.add_1(s text, n text, k text, ms double precision, d text[]) returns text language plpgsql as $f$
declare held $.stream; before text;
begin
  select * into held from $.make_1(s, n, '', '', ms);
  if not found or held.writer <> '' or held.ended then return 'gone'; end if;
  select split_part(one, ':', 2) into before from unnest(held.additions) as kept (one) where split_part(one, ':', 1) = k;
  if found then return before; end if;
  held.last := $.grow_1(held, d, false, ms);
  held.additions := held.additions || (k || ':' || held.last);
  update $.stream set additions = held.additions[greatest(1, cardinality(held.additions) - ${MAX_ADDITIONS - 1}):]
    where session = s and name = n;
  return held.last;
end $f$`;

const DROP = `create function $.drop_1(s text, ms double precision) returns void language plpgsql as $f$
begin
  ${LOCK};
  delete from $.stream where session = s;
  insert into $.dropped values (s, ${END}) on conflict (session) do update set until = excluded.until;
end $f$`;

export const EVENT_TABLES: readonly string[] = [
  `create table $.stream (session text collate "C", name text collate "C", writer text not null, note text not null, last bigint not null,
     first bigint not null, size bigint not null, ended boolean not null, additions text[] not null, until timestamptz not null,
     primary key (session, name)) with (fillfactor = 70)`,
  `create index stream_until on $.stream (until)`,
  `create table $.event (session text collate "C", name text collate "C", number bigint, data text not null,
     primary key (session, name, number), foreign key (session, name) references $.stream on delete cascade)`,
  `create table $.dropped (session text collate "C" primary key, until timestamptz not null)`,
  `create index dropped_until on $.dropped (until)`,
  ...[GROW, MAKE, OPEN, APPEND, ADD, DROP],
];
