/**
 * What task stores do in Redis, each as one step of the engine.
 *
 * A task is a hash. Three sorted sets lead to it: all tasks by the time they expire, those that have not ended by the end of their
 * lease, and an owner's by creation. The first has the owner in front of the id, so that an entry is found from it alone.
 */
import { RedisScript, WHEN_FULL } from "./script.ts";

/** KEYS task, all, open, owner. ARGV id, record, version, ended, worker, until, created, expires, owner, life, max, max of owner, channel. */
export const INSERT: RedisScript = new RedisScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HGET', KEYS[1], 'record') == ARGV[2] and 'ok' or 'taken' end
if ARGV[11] ~= '' and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[11]) then return 'maxTasks' end
if ARGV[12] ~= '' and redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[12]) then return 'maxTasksPerPrincipal' end
redis.call('HSET', KEYS[1], 'record', ARGV[2], 'version', ARGV[3], 'ended', ARGV[4], 'worker', ARGV[5], 'until', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[10])
redis.call('ZADD', KEYS[2], ARGV[8], ARGV[9] .. ARGV[1])
if ARGV[4] == '0' then redis.call('ZADD', KEYS[3], ARGV[6], ARGV[1]) end
redis.call('ZADD', KEYS[4], ARGV[7], ARGV[1])
if redis.call('PTTL', KEYS[4]) < tonumber(ARGV[10]) then redis.call('PEXPIRE', KEYS[4], ARGV[10]) end
redis.call('PUBLISH', ARGV[13], ARGV[1])
return 'ok'`);

/** KEYS task, open. ARGV id, record, version, ended, channel. */
export const REPLACE: RedisScript = new RedisScript(`
local version = redis.call('HGET', KEYS[1], 'version')
if not version or tonumber(version) ~= tonumber(ARGV[3]) - 1 then return 0 end
redis.call('HSET', KEYS[1], 'record', ARGV[2], 'version', ARGV[3], 'ended', ARGV[4])
if ARGV[4] == '1' then redis.call('ZREM', KEYS[2], ARGV[1]) end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1`);

/** KEYS task, open. ARGV id, worker, until, now. On a full engine too: leases that cannot be renewed would all end together. */
export const LEASE: RedisScript = new RedisScript(`${WHEN_FULL}
local held = redis.call('HMGET', KEYS[1], 'version', 'worker', 'until', 'ended')
if not held[1] then return 0 end
if held[2] and held[2] ~= ARGV[2] and tonumber(held[3]) > tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[1], 'worker', ARGV[2], 'until', ARGV[3])
if held[4] == '0' then redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1]) end
return 1`);

/** KEYS task, open. ARGV id, worker. */
export const RELEASE: RedisScript = new RedisScript(`${WHEN_FULL}
local held = redis.call('HMGET', KEYS[1], 'worker', 'ended')
if held[1] ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], 'worker', 'until')
if held[2] == '0' then redis.call('ZADD', KEYS[2], 0, ARGV[1]) end
return 1`);

/** KEYS owner. ARGV created, id of the last place ('' for none), limit, prefix of tasks. Ids of one time are in the order of their bytes. */
export const LIST: RedisScript = new RedisScript(`
local found, at, limit = {}, 0, tonumber(ARGV[3])
while #found < limit do
  local part = redis.call('ZRANGE', KEYS[1], ARGV[1], '+inf', 'BYSCORE', 'LIMIT', at, 100, 'WITHSCORES')
  if #part == 0 then break end
  for i = 1, #part, 2 do
    local before = tonumber(part[i + 1]) == tonumber(ARGV[1]) and part[i] <= ARGV[2]
    local record = not before and redis.call('HGET', ARGV[4] .. part[i], 'record')
    if record and #found < limit then found[#found + 1] = record end
  end
  at = at + 100
end
return found`);

/** KEYS all, open. ARGV now, prefix of tasks, prefix of owners, length of an owner, limit, channel. */
export const FORGET: RedisScript = new RedisScript(`
local expired = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[5])
local length = tonumber(ARGV[4])
for _, member in ipairs(expired) do
  local owner, id = string.sub(member, 1, length), string.sub(member, length + 1)
  redis.call('DEL', ARGV[2] .. id)
  redis.call('ZREM', KEYS[1], member)
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZREM', ARGV[3] .. owner, id)
  redis.call('PUBLISH', ARGV[6], id)
end
return #expired`);
