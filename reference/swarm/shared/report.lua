-- Counts a batch of reports at one moment, each once. It follows ids.lua.
-- Asked are, in this order:
--   the id of this request;
--   1 where the keys are to live on, else 0;
--   the ids of the reports, as admit takes them;
--   of each id the number of its group, from 1, in three bytes;
--   1 where some reports have no id, else 0;
--   'm', then of each group its two fields, 'c' and 'w' as below; a group is a fingerprint and a worker, and those of one
--   fingerprint follow each other;
--   how many reports each group has, those with one id once;
--   the tool of each group;
--   the mark that the session knows: '' for none, '-' where it was told that totals were lost.
-- The totals have these fields:
--   'c', fingerprint: the count in seven bytes, and how many workers in five;
--   'w', length of the worker, ':', worker, fingerprint: '1';
--   't', fingerprint: the tool;
--   'm': the mark of the latest reset or restore.
-- Returns the mark; the positions of the ids that were known; and the totals before: of each group the twelve bytes, then
-- '1' where its worker was one of them, else '0'. If the request was counted already, it only returns that position 0 was
-- known: the totals of that moment are gone.
local TOTAL, NONE, MOST_COUNT = '>I7I5', string.rep('\0', 12), 9007199254740991
local request, live_on, series, owners, some_have_none = unpack(asked, 1, 5)
local fields, counts, tools = asked[6], asked[7], asked[8]
local before = read(totals, fields)
local mark = bare(before[1])
local loss = lost(mark, asked[9])
if loss then
  return loss
end

if some_have_none == 1 and asked_before(request) then
  return { mark, { 0 }, '' }
end

local known = {}
if #series > 0 then
  known = admit(ids, earlier_ids, series)
  for _, position in ipairs(known) do
    local owner = struct.unpack('>I3', owners, 3 * position - 2)
    counts[owner] = counts[owner] - 1
  end
end

local pack, unpack_one = struct.pack, struct.unpack
local field, exists, count, workers
local joined, j = {}, 0 -- what is written where a fingerprint or a worker is new
local last = 1 -- count and workers of every group are written in the place of the fields
for i = 2, #fields, 2 do
  local total, is_worker, new = before[i], before[i + 1], counts[i / 2]
  if fields[i] ~= field then
    field, exists, count, workers = fields[i], total, 0, 0
    if total then
      count, workers = unpack_one(TOTAL, total)
    end
  end
  if not total then
    before[i] = NONE
  end
  if not is_worker then
    before[i + 1] = '0'
  end
  if new > 0 then
    if not exists then
      exists, joined[j + 1], joined[j + 2] = true, 't' .. string.sub(field, 2), tools[i / 2]
      j = j + 2
    end
    if not is_worker then
      workers, joined[j + 1], joined[j + 2] = workers + 1, fields[i + 1], '1' -- SW-34
      j = j + 2
    end
    count = count + new
    if count > MOST_COUNT then -- SW-25
      count = MOST_COUNT
    end
    fields[last + 1], fields[last + 2] = field, pack(TOTAL, count, workers)
    last = last + 2
  end
end
if not mark then
  mark, born = request, true
  joined[j + 1], joined[j + 2] = 'm', PAD .. mark
  j = j + 2
end
write(totals, fields, 2, last)
write(totals, joined, 1, j)
if live_on == 1 or born then
  keep(unpack(KEYS))
end
return { mark, known, table.concat(before, '', 2) }
