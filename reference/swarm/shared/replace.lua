#!lua
-- Replaces the totals at one moment, and once: a reset by none, a restore by those of a state.
-- KEYS: totals, ids, earlier ids. ARGV: seconds to live, the id of this request, then of each fingerprint its text, tool,
-- count, how many workers it has, and their names.
local totals, ids, earlier = KEYS[1], KEYS[2], KEYS[3]
if redis.call('SISMEMBER', earlier, ARGV[2]) == 1 or redis.call('SADD', ids, ARGV[2]) == 0 then -- SW-37
  return 0
end
redis.call('UNLINK', totals)
redis.call('HSET', totals, 'm', string.rep(' ', 64) .. ARGV[2]) -- as long as report.lua wants it
local i = 3
while i <= #ARGV do
  local fingerprint, workers = ARGV[i], tonumber(ARGV[i + 3])
  redis.call('HSET', totals, 't' .. fingerprint, ARGV[i + 1], 'c' .. fingerprint, ARGV[i + 2], 'n' .. fingerprint, workers)
  for w = i + 4, i + 3 + workers do
    redis.call('HSET', totals, 'w' .. #ARGV[w] .. ':' .. ARGV[w] .. fingerprint, '')
  end
  i = i + 4 + workers
end
redis.call('EXPIRE', totals, ARGV[1])
redis.call('EXPIRE', ids, ARGV[1])
return 1
