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

/** ARGV version, value, ms. A value begins with its version, which has 22 characters. */
const SWAP = new RedisScript(`
if redis.call('GETRANGE', KEYS[1], 0, 21) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`);

const RENEW_VERSION = new RedisScript(`
if redis.call('GETRANGE', KEYS[1], 0, 21) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`);

/**
 * A sorted set of members by the time at which they leave. ARGV member, ms, max. At most 100 members whose time is over are removed at once,
 * so that no call waits while thousands expire together.
 */
const JOIN = new RedisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local over = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)
if #over > 0 then redis.call('ZREM', KEYS[1], unpack(over)) end
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
local isMember = score and tonumber(score) > now
if not isMember and redis.call('ZCOUNT', KEYS[1], string.format('(%.0f', now), '+inf') >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`);

/** Numbers are written as text: as a number of Lua, a large one would lose its last digits. */
const NEXT = new RedisScript(`
local number = math.max((tonumber(redis.call('GET', KEYS[1])) or -1) + 1, tonumber(ARGV[1]))
local text = string.format('%.0f', number)
redis.call('SET', KEYS[1], text)
return text`);

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

  async swap(key: string, version: string, next: { readonly value: string; readonly ms: number } | undefined): Promise<boolean> {
    const args = [version, next?.value ?? "", next === undefined ? "" : whole(next.ms)];
    return (await this.#connection.run(SWAP, [this.#prefix + key], args)) === 1;
  }

  async renewVersion(key: string, version: string, ms: number): Promise<boolean> {
    return (await this.#connection.run(RENEW_VERSION, [this.#prefix + key], [version, whole(ms)])) === 1;
  }

  async join(set: string, member: string, ms: number, max: number): Promise<boolean> {
    return (await this.#connection.run(JOIN, [this.#prefix + set], [member, whole(ms), max])) === 1;
  }

  async leave(set: string, member: string): Promise<void> {
    await this.#connection.command("ZREM", this.#prefix + set, member);
  }

  async next(counter: string, least: number): Promise<number> {
    return Number(await this.#connection.run(NEXT, [this.#prefix + counter], [least]));
  }

  now(): Promise<number> {
    return this.#connection.now();
  }
}

/** Redis takes whole milliseconds above 0 only. */
export const whole = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
