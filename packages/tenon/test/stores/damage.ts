/** Overwrites what an engine has by its own client, as an operator or another program could. */
import { createHash } from "node:crypto";
import { jetstream, jetstreamManager, type JetStreamClient } from "@nats-io/jetstream";
import { connect, type MsgHdrs } from "@nats-io/transport-node";
import pg from "pg";
import { createClient } from "redis";
import { onTestFinished } from "vitest";
import type { Engine } from "./engines.ts";

export interface Damage {
  /** Replaces an entry of the keyed store by a text. */
  entry(key: string, text: string): Promise<void>;
  /** Replaces the record of a task by a text. */
  task(id: string, text: string): Promise<void>;
}

const hashOf = (key: string): string => createHash("sha256").update(key).digest("base64url");

/** @param space as the stores of the engine were made with */
export function damageOf(engine: Engine, space: string): Promise<Damage> {
  const makers: Record<string, () => Promise<Damage>> = {
    redis: () => ofRedis(engine.url, space),
    postgres: () => ofPostgres(engine.url, space),
    nats: () => ofNats(engine.url, space),
  };
  return makers[engine.name]!();
}

async function ofRedis(url: string, space: string): Promise<Damage> {
  const client = await createClient({ url }).connect();
  onTestFinished(() => client.destroy());
  return {
    entry: async (key, text) => void (await client.set(`${space}:k:${hashOf(key)}`, text)),
    task: async (id, text) => void (await client.hSet(`${space}:{tasks}:task:${id}`, "record", text)),
  };
}

async function ofPostgres(url: string, space: string): Promise<Damage> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return {
    entry: async (key, text) =>
      void (await client.query(`update ${space}.entry set value = $1 where key = $2`, [text, `k:${hashOf(key)}`])),
    task: async (id, text) => void (await client.query(`update ${space}.task set record = $1 where id = $2`, [text, id])),
  };
}

async function ofNats(url: string, space: string): Promise<Damage> {
  const { replace } = await natsMessages(url, space);
  return {
    // A message of NATS has at most one MiB.
    entry: (key, text) => replace(`k.${hashOf(key)}`, text.slice(0, 2 ** 19)),
    task: (id, text) => replace(`task.${hashOf(id)}`, text),
  };
}

export interface NatsMessages {
  readonly client: JetStreamClient;
  /** Replaces the text of the last message of a subject, and the facts in its header if they are given. */
  readonly replace: (subject: string, text: string, facts?: string) => Promise<void>;
}

/** The messages of the stream with entries. */
export async function natsMessages(url: string, space: string): Promise<NatsMessages> {
  const connection = await connect({ servers: url });
  onTestFinished(() => connection.close());
  const [client, manager] = [jetstream(connection), await jetstreamManager(connection)];
  const replace = async (name: string, text: string, facts?: string): Promise<void> => {
    const subject = `${space}.keyed.${name}`;
    const held = await manager.streams.getMessage(`${space}-keyed`, { last_by_subj: subject });
    const headers: MsgHdrs = held!.header;
    if (facts !== undefined) headers.set("Tenon", facts);
    for (const key of headers.keys()) if (key.startsWith("Nats-")) headers.delete(key);
    await client.publish(subject, text, { headers });
  };
  return { client, replace };
}
