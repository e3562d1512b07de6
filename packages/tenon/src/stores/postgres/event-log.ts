/** Events in PostgreSQL: see `EventLog`. */
import type { EventLog, EventPage, StreamAddition, StreamAppend, StreamName, StreamOpening } from "../../storage/event-log.ts";
import { assertAddition, assertAppend, assertDropping, assertOpening, assertStream, assertWriter } from "../../storage/limits.ts";
import type { PostgresConnection } from "./connection.ts";
import type { Row } from "./database.ts";
import type { Sweeper } from "./sweeper.ts";

export class PostgresEventLog implements EventLog {
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #sweeper: Sweeper;

  constructor(connection: PostgresConnection, sweeper: Sweeper) {
    this.#connection = connection;
    this.#schema = connection.schema;
    this.#sweeper = sweeper;
  }

  async open(at: StreamName, opening: StreamOpening): Promise<"opened" | "fenced" | "gone"> {
    assertOpening(at, opening);
    this.#sweeper.sweepSometimes();
    const { writer = "", note = "", ms } = opening;
    return (await this.#call("open_1($1, $2, $3, $4, $5)", at, [writer, note, ms])) as "opened" | "fenced" | "gone"; // the function returns these
  }

  async append(at: StreamName, append: StreamAppend): Promise<"kept" | "fenced" | "gone"> {
    assertAppend(at, append);
    const { writer, first, data, ends = false, ms } = append;
    const outcome = await this.#call("append_1($1, $2, $3, $4, $5, $6, $7)", at, [writer, first, ends, ms, data]);
    if (/^\d/.test(outcome)) throw new RangeError(`Event ${first} leaves a gap after event ${outcome}`);
    return outcome as "kept" | "fenced" | "gone"; // the function returns these
  }

  async add(at: StreamName, addition: StreamAddition): Promise<number | "gone"> {
    assertAddition(at, addition);
    this.#sweeper.sweepSometimes();
    const { key, data, ms } = addition;
    const outcome = await this.#call("add_1($1, $2, $3, $4, $5)", at, [key, ms, data]);
    return outcome === "gone" ? outcome : Number(outcome);
  }

  async read(at: StreamName, after: number, limit: number): Promise<EventPage | "unknown" | "evicted"> {
    assertStream(at);
    const rows = await this.#connection.query(
      `select last, first, ended, writer, note, number, data from ${this.#schema}.stream as held left join lateral
         (select number, data from ${this.#schema}.event as kept where kept.session = held.session and kept.name = held.name and number > $3
          order by number limit $4) as page on true
         where session = $1 and name = $2 and until > clock_timestamp() order by number`,
      [at.session, at.stream, after, limit],
    );
    const facts = rows[0];
    if (facts === undefined || after > Number(facts["last"])) return "unknown";
    return after < Number(facts["first"]) - 1 ? "evicted" : toPage(facts, rows);
  }

  async adopt(at: StreamName, from: string, to: string): Promise<boolean> {
    assertStream(at);
    assertWriter(to);
    const rows = await this.#connection.query(
      `update ${this.#schema}.stream set writer = $4
         where session = $1 and name = $2 and writer = $3 and not ended and until > clock_timestamp() returning 1 as adopted`,
      [at.session, at.stream, from, to],
    );
    return rows.length === 1;
  }

  async drop(session: string, ms: number): Promise<void> {
    assertDropping(session, ms);
    await this.#connection.query(`select ${this.#schema}.drop_1($1, $2)`, [session, ms]);
  }

  async #call(text: string, { session, stream }: StreamName, args: readonly unknown[]): Promise<string> {
    const [row] = await this.#connection.query(`select ${this.#schema}.${text} as outcome`, [session, stream, ...args]);
    return String(row!["outcome"]);
  }
}

/** Rows of a stream without events on this page have one row without an event. */
function toPage(facts: Row, rows: readonly Row[]): EventPage {
  const [writer, note] = [String(facts["writer"]), String(facts["note"])];
  const events = rows.filter((row) => row["number"] !== null).map((row) => ({ number: Number(row["number"]), data: String(row["data"]) }));
  const named = { ...(writer !== "" && { writer }), ...(note !== "" && { note }) };
  return { events, last: Number(facts["last"]), ended: facts["ended"] === true, ...named };
}
