-- The head of report.lua, replace.lua and snapshot.lua: which ids are known already, of reports and of requests.
-- KEYS: totals, ids, earlier ids, requests, earlier requests. ARGV: seconds to live, and what is asked, in MessagePack.
--
-- Ids are kept in hashes, those that differ in their last byte in one field: its name is such an id without that byte,
-- its value these bytes. So ids that follow each other cost a tenth of what random ones do. [SW-35]
--
-- Each command takes as much as it can, since to call one from here costs more than most of them do.
local totals, ids, earlier_ids, requests, earlier_requests = unpack(KEYS)
local call, life, asked = redis.call, ARGV[1], cmsgpack.unpack(ARGV[2])
local KEPT_IDS = 65536
local MOST_WORDS = 4000 -- of one command, an even number; unpack takes no more than 8000
-- A hash with a value of more than 64 bytes finds a field at once, however many it has; another one looks at one after the
-- other.
local PAD = string.rep(' ', 64)

local function write(key, fields, first, last)
  for from = first, last, MOST_WORDS do
    call('HSET', key, unpack(fields, from, math.min(from + MOST_WORDS - 1, last)))
  end
end

local function read(key, names)
  local values = call('HMGET', key, unpack(names, 1, math.min(MOST_WORDS, #names)))
  for from = 1 + MOST_WORDS, #names, MOST_WORDS do
    for i, value in ipairs(call('HMGET', key, unpack(names, from, math.min(from + MOST_WORDS - 1, #names)))) do
      values[from + i - 1] = value
    end
  end
  return values
end

-- lost returns the error of totals that are gone though somebody knew them: the session, by their mark, or the ids of
-- reports and requests. Nothing was counted then. A session that was told says '-' the next time, and goes on. [SW-45]
-- A mark that begins with q was made by a report that found no totals, one with r by a reset or a restore.
local function lost(mark, knows)
  local had = knows ~= '' and knows ~= '-'
  local gone = not mark and (had or knows == '' and call('EXISTS', ids, requests) > 0)
  local begun_again = mark and had and knows ~= mark and string.sub(mark, 1, 1) == 'q'
  if gone or begun_again then
    return redis.error_reply('LOST the totals of the swarm are gone: calls that were counted are forgotten')
  end
end

-- bare returns a mark without its pad.
local function bare(mark)
  return mark and string.sub(mark, #PAD + 1)
end

local born = false -- a key was made, which must not outlive the others
local function keep(...)
  for _, key in ipairs({ ... }) do
    call('EXPIRE', key, life) -- SW-42
  end
end

-- unseen returns the bytes that are not among the seen, and adds the positions of the others to the known.
local function unseen(bytes, seen, passed, known)
  local new = ''
  for i = 1, #bytes do
    local byte = string.sub(bytes, i, i)
    if string.find(seen, byte, 1, true) then
      known[#known + 1] = passed + i
    else
      new = new .. byte
    end
  end
  return new
end

-- admit makes ids known, which come as names of fields, each followed by last bytes. It returns the positions, from 1,
-- of those that were known, in growing or in earlier: a full set is always kept beside the growing one. [SW-36]
-- The field '#' tells how many ids are in growing, and KEPT_IDS more where there is an earlier set.
local function admit(growing, earlier, series)
  local names, n = { '#' }, 1
  for i = 1, #series, 2 do
    n = n + 1
    names[n] = series[i]
  end
  local now, before = read(growing, names), {}
  local size, others = tonumber(now[1]) or 0, 0
  if size >= KEPT_IDS then
    before, others = read(earlier, names), KEPT_IDS
  end
  local known, passed = {}, 0
  for i = 2, n do
    local own, old, bytes = now[i], before[i], series[2 * i - 2]
    local new = bytes
    if own or old then
      own = own or ''
      new = unseen(bytes, own .. (old or ''), passed, known)
      series[2 * i - 2] = own .. new
    end
    size, passed = size + #new, passed + #bytes
  end
  series[2 * n - 1], series[2 * n] = '#', PAD .. size
  write(growing, series, 1, 2 * n)
  if size >= KEPT_IDS + others then
    call('UNLINK', earlier)
    call('RENAME', growing, earlier)
    call('HSET', growing, '#', PAD .. KEPT_IDS)
  end
  if not now[1] or size >= KEPT_IDS + others then
    born = true
  end
  return known
end

-- asked_before makes the id of this request known, and reports whether it was.
local function asked_before(request)
  return #admit(requests, earlier_requests, { string.sub(request, 1, -2), string.sub(request, -1) }) > 0 -- SW-35, SW-37
end
