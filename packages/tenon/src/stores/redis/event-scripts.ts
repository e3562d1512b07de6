/**
 * What event logs do in Redis, each as one step of the engine.
 *
 * A stream is a hash with its facts, and a list of the data of its last events. An index of each session leads to its streams, and a mark
 * says that the session was dropped. All keys of a session have one hash tag, so that a cluster keeps them together.
 */
import { MAX_ADDITIONS, MAX_EVENTS, MAX_STREAM_SIZE } from "../../storage/limits.ts";
import { RedisScript, WHEN_FULL } from "./script.ts";

/** Appends the arguments from `from` on, and evicts the oldest events. A size is in bytes. */
const GROW = `
local function grow(last, size, from, ms)
  for i = from, #ARGV do
    redis.call('RPUSH', KEYS[2], ARGV[i])
    last, size = last + 1, size + #ARGV[i]
  end
  local count = redis.call('LLEN', KEYS[2])
  while count > 1 and (count > ${MAX_EVENTS} or size > ${MAX_STREAM_SIZE}) do
    size, count = size - #redis.call('LPOP', KEYS[2]), count - 1
  end
  redis.call('HSET', KEYS[1], 'last', last, 'size', size)
  redis.call('PEXPIRE', KEYS[1], ms)
  redis.call('PEXPIRE', KEYS[2], ms)
  if redis.call('PTTL', KEYS[3]) < tonumber(ms) then redis.call('PEXPIRE', KEYS[3], ms) end
  return last
end`;

/** KEYS facts, events, index, mark. ARGV stream, writer ('' for none), note, ms. */
export const OPEN: RedisScript = new RedisScript(`${GROW}
if redis.call('EXISTS', KEYS[4]) == 1 then return 'gone' end
local held = redis.call('HMGET', KEYS[1], 'writer', 'last', 'size', 'ended')
if held[2] and held[1] ~= ARGV[2] then return 'fenced' end
if held[4] == '1' then return 'gone' end
if not held[2] then redis.call('HSET', KEYS[1], 'writer', ARGV[2], 'note', ARGV[3], 'ended', '0') end
redis.call('SADD', KEYS[3], ARGV[1])
grow(tonumber(held[2] or 0), tonumber(held[3] or 0), 5, ARGV[4])
return 'opened'`);

/** KEYS facts, events, index. ARGV writer, first, ends, ms, data … */
export const APPEND: RedisScript = new RedisScript(`${GROW}
local held = redis.call('HMGET', KEYS[1], 'writer', 'last', 'size', 'ended')
if not held[2] then return 'gone' end
if held[1] ~= ARGV[1] then return 'fenced' end
local last = tonumber(held[2])
local repeated = last + 1 - tonumber(ARGV[2])
if held[4] == '1' then return repeated >= #ARGV - 4 and 'kept' or 'gone' end
if repeated < 0 then return last end
grow(last, tonumber(held[3]), 5 + repeated, ARGV[4])
redis.call('HSET', KEYS[1], 'ended', ARGV[3])
return 'kept'`);

/** KEYS facts, events, index, mark. ARGV stream, key, ms, data … Additions are kept as " key:last key:last ", and keys have no such characters. */
export const ADD: RedisScript = new RedisScript(`${GROW}
if redis.call('EXISTS', KEYS[4]) == 1 then return 'gone' end
local held = redis.call('HMGET', KEYS[1], 'writer', 'last', 'size', 'ended', 'additions')
if held[2] and (held[1] ~= '' or held[4] == '1') then return 'gone' end
local additions = held[5] or ' '
local _, at = string.find(additions, ' ' .. ARGV[2] .. ':', 1, true)
if at then return tonumber(string.match(additions, '%d+', at)) end
if not held[2] then redis.call('HSET', KEYS[1], 'writer', '', 'note', '', 'ended', '0') end
redis.call('SADD', KEYS[3], ARGV[1])
local last = grow(tonumber(held[2] or 0), tonumber(held[3] or 0), 4, ARGV[3])
additions = additions .. ARGV[2] .. ':' .. string.format('%.0f', last) .. ' '
local _, count = string.gsub(additions, ':', '')
if count > ${MAX_ADDITIONS} then additions = string.gsub(additions, '^ %S+', '') end
redis.call('HSET', KEYS[1], 'additions', additions)
return last`);

/** KEYS facts, events. ARGV after, limit. Returns last, ended, writer, note and the events. */
export const READ: RedisScript = new RedisScript(`
local held = redis.call('HMGET', KEYS[1], 'last', 'ended', 'writer', 'note')
local after, last = tonumber(ARGV[1]), tonumber(held[1] or -1)
if after > last then return 'unknown' end
local first = last - redis.call('LLEN', KEYS[2]) + 1
if after < first - 1 then return 'evicted' end
local start = after - first + 1
local found = {last, held[2], held[3], held[4]}
for _, data in ipairs(redis.call('LRANGE', KEYS[2], start, start + tonumber(ARGV[2]) - 1)) do found[#found + 1] = data end
return found`);

/** KEYS facts. ARGV from, to. */
export const ADOPT: RedisScript = new RedisScript(`${WHEN_FULL}
local held = redis.call('HMGET', KEYS[1], 'writer', 'ended')
if held[1] ~= ARGV[1] or held[2] == '1' then return 0 end
redis.call('HSET', KEYS[1], 'writer', ARGV[2])
return 1`);

/** KEYS index, mark. ARGV prefix of facts, prefix of events, ms. */
export const DROP: RedisScript = new RedisScript(`${WHEN_FULL}
for _, stream in ipairs(redis.call('SMEMBERS', KEYS[1])) do redis.call('DEL', ARGV[1] .. stream, ARGV[2] .. stream) end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])`);
