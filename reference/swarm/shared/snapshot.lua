-- Returns the totals at one moment: the fields of report.lua, each followed by its value. It follows ids.lua.
-- Asked is the mark that the session knows, as report.lua takes it.
return lost(bare(call('HGET', totals, 'm')), asked[1]) or call('HGETALL', totals)
