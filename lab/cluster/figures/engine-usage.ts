/** What an engine has done and holds, by its own count. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import pg from "pg";
import { createClient } from "redis";
import { setTimeout as sleep } from "node:timers/promises";

export interface EngineUsage {
  /** Redis: commands, with those of scripts. PostgreSQL: transactions. NATS counts none. */
  readonly commands?: number;
  /** Redis: memory. PostgreSQL: the database's files. NATS: the files of its streams. */
  readonly bytes: number;
}

export type EngineName = "redis" | "postgres" | "nats";

/** Milliseconds after which PostgreSQL has counted what it did. */
const COUNTED = 2_000;

export function engineUsage(name: EngineName, url: string): Promise<EngineUsage> {
  return { redis: ofRedis, postgres: ofPostgres, nats: ofNats }[name](url);
}

async function ofRedis(url: string): Promise<EngineUsage> {
  const client = await createClient({ url }).connect();
  const text = await client.info();
  client.destroy();
  const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)![1]);
  return { commands: number("total_commands_processed"), bytes: number("used_memory") };
}

async function ofPostgres(url: string): Promise<EngineUsage> {
  await sleep(COUNTED);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ commands: string; bytes: string }>(
      "select xact_commit + xact_rollback as commands, pg_database_size(datname) as bytes from pg_stat_database where datname = current_database()",
    );
    return { commands: Number(rows[0]!.commands), bytes: Number(rows[0]!.bytes) };
  } finally {
    await client.end();
  }
}

async function ofNats(url: string): Promise<EngineUsage> {
  const connection = await connect({ servers: url });
  try {
    const { storage } = await (await jetstreamManager(connection)).getAccountInfo();
    return { bytes: storage };
  } finally {
    await connection.close();
  }
}
