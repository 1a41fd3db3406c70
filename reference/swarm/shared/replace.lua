-- Replaces the totals at one moment, and once: a reset by none, a restore by those of a state. It follows ids.lua.
-- Asked are the id of this request, then of each fingerprint its text, tool, count, and a list of its workers' names.
local request = asked[1]
if not asked_before(request) then
  call('UNLINK', totals)
  local fields = { 'm', PAD .. request }
  for i = 2, #asked, 4 do
    local fingerprint, workers = asked[i], asked[i + 3]
    local n = #fields
    fields[n + 1], fields[n + 2] = 't' .. fingerprint, asked[i + 1]
    fields[n + 3], fields[n + 4] = 'c' .. fingerprint, struct.pack('>I7I5', asked[i + 2], #workers)
    for w, worker in ipairs(workers) do
      fields[n + 3 + 2 * w], fields[n + 4 + 2 * w] = 'w' .. #worker .. ':' .. worker .. fingerprint, '1'
    end
  end
  write(totals, fields, 1, #fields)
end
keep(unpack(KEYS))
return 1
