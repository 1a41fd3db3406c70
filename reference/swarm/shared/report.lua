#!lua
-- Counts a batch of reports at one moment, each once.
-- KEYS: totals, ids, earlier ids. ARGV: seconds to live, then of each report its id, fingerprint, worker and tool.
-- Returns the mark of the latest reset or restore, then of each report whether it is new, its count and its workers.
local totals, ids, earlier = KEYS[1], KEYS[2], KEYS[3]
local MOST_COUNT, KEPT_IDS = 9007199254740991, 65536

if redis.call('SCARD', ids) >= KEPT_IDS then -- SW-36: one full set of ids is always kept beside the growing one
  redis.call('RENAME', ids, earlier)
end
local hasEarlier = redis.call('EXISTS', earlier) == 1
local answer = { redis.call('HGET', totals, 'm') or '' }

for i = 2, #ARGV, 4 do
  local id, fingerprint, worker, tool = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local new = redis.call('SADD', ids, id) == 1 and not (hasEarlier and redis.call('SISMEMBER', earlier, id) == 1)
  local count, workers
  if new then -- SW-35
    count = redis.call('HINCRBY', totals, 'c' .. fingerprint, 1)
    if count == 1 then
      redis.call('HSET', totals, 't' .. fingerprint, tool)
    elseif count > MOST_COUNT then -- SW-25
      count = MOST_COUNT
      redis.call('HINCRBY', totals, 'c' .. fingerprint, -1)
    end
    if redis.call('HSETNX', totals, 'w' .. #fingerprint .. ':' .. fingerprint .. worker, '') == 1 then
      workers = redis.call('HINCRBY', totals, 'n' .. fingerprint, 1)
    end
  else
    count = tonumber(redis.call('HGET', totals, 'c' .. fingerprint) or 0)
  end
  answer[#answer + 1] = new and 1 or 0
  answer[#answer + 1] = count
  answer[#answer + 1] = workers or tonumber(redis.call('HGET', totals, 'n' .. fingerprint) or 0)
end
redis.call('EXPIRE', totals, ARGV[1])
redis.call('EXPIRE', ids, ARGV[1])
return answer
