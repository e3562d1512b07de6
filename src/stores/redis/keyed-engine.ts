/** Keys and values in Redis: one string for each. */
import type { KeyedEngine } from "../keyed-engine.ts";
import type { RedisConnection } from "./connection.ts";
import { RedisScript } from "./script.ts";

/** A repeated claim of the same holder succeeds, so that a lost reply can be asked for again. */
const CLAIM = new RedisScript(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`);

/** PEXPIRE needs no memory, so claims are renewed in a full engine too. */
const RENEW = new RedisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

const RELEASE = new RedisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);

export class RedisKeyedEngine implements KeyedEngine {
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async put(key: string, value: string, ms: number | undefined): Promise<void> {
    await this.#connection.command("SET", this.#prefix + key, value, ...(ms === undefined ? [] : ["PX", whole(ms)]));
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#connection.command("GET", this.#prefix + key);
    return typeof value === "string" ? value : undefined;
  }

  async remove(key: string): Promise<void> {
    await this.#connection.command("DEL", this.#prefix + key);
  }

  async claim(key: string, by: string, ms: number): Promise<boolean> {
    return (await this.#connection.run(CLAIM, [this.#prefix + key], [by, whole(ms)])) === 1;
  }

  async renew(key: string, by: string, ms: number): Promise<boolean> {
    return (await this.#connection.run(RENEW, [this.#prefix + key], [by, whole(ms)])) === 1;
  }

  async release(key: string, by: string): Promise<void> {
    await this.#connection.run(RELEASE, [this.#prefix + key], [by]);
  }
}

/** Redis takes whole milliseconds above 0 only. */
const whole = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
