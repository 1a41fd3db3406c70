#!lua
-- Counts a batch of reports at one moment, each once.
-- KEYS: totals, ids, earlier ids. ARGV: seconds to live, the id of this request, how many reports have ids, these ids in
-- the order of the groups, how many groups have ids, and the groups, those with ids first. A group is a fingerprint, its
-- tool, a worker after its length and a colon, and how many reports.
-- Returns the mark of the latest reset or restore; the positions of the ids that were known, 0 for the request's own; and
-- the totals before in one text: of each group the count, how many workers, and 1 where its worker was one of them, else 0.
-- Each command takes as much of the batch as it can, since to call one from here costs more than most of them do.
local totals, ids, earlier = KEYS[1], KEYS[2], KEYS[3]
local ARGV, call = ARGV, redis.call
local life, request, with_id = ARGV[1], ARGV[2], tonumber(ARGV[3])
local MOST_COUNT, KEPT_IDS = 9007199254740991, 65536
local MOST_WORDS = 4000 -- of one command; unpack takes no more than 8000
-- A hash with a value of more than 64 bytes finds a field at once, however many it has; others look at one after the other.
local PAD = string.rep(' ', 64)

-- in_parts calls the function with the bounds of parts that one command can take.
local function in_parts(first, last, f)
  for from = first, last, MOST_WORDS do
    f(from, math.min(from + MOST_WORDS - 1, last))
  end
end

if call('SCARD', ids) >= KEPT_IDS then -- SW-36: one full set of ids is always kept beside the growing one
  call('UNLINK', earlier)
  call('RENAME', ids, earlier)
end
local has_earlier = call('EXPIRE', earlier, life) == 1
local again = call('SADD', ids, request) == 0 or has_earlier and call('SISMEMBER', earlier, request) == 1
local known, positions = {}, { again and 0 or nil }
local function look_up(set, from, to)
  local answer = call('SMISMEMBER', set, unpack(ARGV, from, to))
  for i = 1, #answer do
    local position = from + i - 4
    if answer[i] == 1 and not known[position] then
      known[position] = true
      positions[#positions + 1] = position
    end
  end
end
in_parts(4, 3 + with_id, function(from, to)
  look_up(ids, from, to)
  if has_earlier then
    look_up(earlier, from, to)
  end
  call('SADD', ids, unpack(ARGV, from, to))
end)

local first = 5 + with_id
local fields, n = { 'm' }, 1
for i = first, #ARGV, 4 do
  local fingerprint = ARGV[i]
  fields[n + 1] = 'c' .. fingerprint
  fields[n + 2] = 'n' .. fingerprint
  fields[n + 3] = 'w' .. ARGV[i + 2] .. fingerprint
  n = n + 3
end
local before
in_parts(1, n, function(from, to)
  local values = call('HMGET', totals, unpack(fields, from, to))
  if from == 1 then
    before = values
  else
    for i = 1, #values do
      before[from + i - 1] = values[i]
    end
  end
end)

local changes, c, counts, crews, came = {}, 0, {}, {}, {}
local function set(field, value)
  changes[c + 1], changes[c + 2] = field, value
  c = c + 2
end
local mark = before[1] or PAD .. request
if not before[1] then
  set('m', mark)
end
-- among returns how many of the next reports with ids are new. [SW-35]
local position = 0
local function among(reports)
  local new = 0
  for _ = 1, reports do
    position = position + 1
    if not known[position] then
      new = new + 1
    end
  end
  return new
end
local f, anonymous = 2, first + 4 * tonumber(ARGV[4 + with_id])
for i = first, #ARGV, 4 do
  local fingerprint, new = ARGV[i], tonumber(ARGV[i + 3])
  if i < anonymous then
    new = among(new)
  elseif again then
    new = 0
  end
  local count, workers, is_known = before[f] or '0', before[f + 1] or '0', before[f + 2]
  if new > 0 then
    if count == '0' then
      set('t' .. fingerprint, ARGV[i + 1])
    end
    local now = math.min((counts[fingerprint] or tonumber(count)) + new, MOST_COUNT) -- SW-25
    counts[fingerprint] = now
    set(fields[f], string.format('%d', now))
    if not is_known and not came[fields[f + 2]] then
      came[fields[f + 2]] = true
      crews[fingerprint] = 1 + (crews[fingerprint] or tonumber(workers))
      set(fields[f + 1], string.format('%d', crews[fingerprint]))
      set(fields[f + 2], '')
    end
  end
  before[f], before[f + 1], before[f + 2] = count, workers, is_known and '1' or '0'
  f = f + 3
end
in_parts(1, c, function(from, to)
  call('HSET', totals, unpack(changes, from, to))
end)
call('EXPIRE', totals, life)
call('EXPIRE', ids, life)
return { mark, positions, table.concat(before, ' ', 2, n) }
