#!lua name=facedown_1

-- The steps of the store that must not be torn apart. The name of the library carries a version: a
-- release that changes a function takes the next number, so that old and new processes can share a store.

local function clock_ms()
  local now = redis.call('TIME')
  return tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
end

-- The end of a log that was archived: the key `gone` holds its head and when that was stored.
local function buried(gone)
  local note = redis.call('GET', gone)
  if not note then
    return 0, 0
  end
  local version, at_ms = string.match(note, '^(%d+) (%d+)$')
  return tonumber(version), tonumber(at_ms)
end

-- Puts an entry at the end of a log. Returns the outcome (1 stored, 2 the same entry was there, 0 another
-- entry is there, the version is not the next one, or what stands before is another entry), when it was
-- stored, the head, and when the one before it was stored.
local function put(log, gone, version, data, after)
  local head, last_ms = 0, 0
  local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
  if last then
    head = tonumber(string.match(last[1], '^%d+'))
    last_ms = tonumber(last[2][2])
  else
    head, last_ms = buried(gone)
    if head > 0 then
      return 0, 0, head, 0
    end
  end
  local id = string.format('%.0f-0', version)
  if version <= head then
    local there = redis.call('XRANGE', log, id, id)[1]
    if not there or there[2][4] ~= data then
      return 0, 0, head, 0
    end
    if after ~= '' and version > 1 then
      -- The same bytes on another history are another entry.
      local before = string.format('%.0f-0', version - 1)
      local known = redis.call('XRANGE', log, before, before)[1]
      if not known or tonumber(known[2][2]) ~= tonumber(after) then
        return 0, 0, head, 0
      end
    end
    return 2, tonumber(there[2][2]), head, 0
  end
  if version ~= head + 1 or (after ~= '' and tonumber(after) ~= last_ms) then
    return 0, 0, head, 0
  end
  local at_ms = string.format('%.0f', math.max(clock_ms(), last_ms))
  redis.call('XADD', log, id, 'at', at_ms, 'data', data)
  return 1, tonumber(at_ms), version, last_ms
end

-- keys: log, gone, news channel. args: version, data, and when the entry before must have been stored ('' for
-- any time). Returns {outcome, at_ms, head}; see above.
-- An error reply means that nothing was stored: the entry is the only write, and telling of it cannot fail.
local function append(keys, args)
  local outcome, at_ms, head, after_ms = put(keys[1], keys[2], tonumber(args[1]), args[2], args[3])
  if outcome == 1 then
    local times = string.format('%.0f %.0f', at_ms, after_ms)
    redis.pcall('SPUBLISH', keys[3], args[1] .. ' ' .. times .. '\n' .. args[2])
  end
  return {outcome, at_ms, head}
end

-- keys: log, gone, fence. args as for append. Stores without telling, for a caller who waits for replicas before
-- anybody hears of it. WAIT looks at the writes of one connection, so a repetition, which has nothing to
-- store, writes the fence.
local function store(keys, args)
  local outcome, at_ms, head = put(keys[1], keys[2], tonumber(args[1]), args[2], args[3])
  if outcome == 2 then
    redis.call('SET', keys[3], args[1], 'PX', 1000)
  end
  return {outcome, at_ms, head}
end

-- keys: log, gone. args: head, when it was stored, and for how many ms to remember that (0: for ever).
-- Takes a log away and leaves a note of its end, so that its versions are never used again. Returns 1, or 0
-- where the log does not end there.
local function bury(keys, args)
  local last = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  if not last then
    local head, at_ms = buried(keys[2])
    return head == tonumber(args[1]) and at_ms == tonumber(args[2]) and 1 or 0
  end
  if last[1] ~= args[1] .. '-0' or last[2][2] ~= args[2] then
    return 0
  end
  local note = args[1] .. ' ' .. args[2]
  if args[3] == '0' then
    redis.call('SET', keys[2], note)
  else
    redis.call('SET', keys[2], note, 'PX', args[3])
  end
  redis.call('UNLINK', keys[1])
  return 1
end

-- keys: log, gone. args: time and data of version 1, of version 2, ... Stores a whole log that is nowhere yet.
-- Returns 1, or 0 where there is a log already.
local function restore(keys, args)
  if redis.call('EXISTS', keys[1]) == 1 then
    return 0
  end
  for i = 1, #args, 2 do
    redis.call('XADD', keys[1], string.format('%.0f-0', (i + 1) / 2), 'at', args[i], 'data', args[i + 1])
  end
  redis.call('UNLINK', keys[2])
  return 1
end

-- keys: log, gone. args: the data of what follows, then time and data of version 1, of version 2, ... Puts these in
-- the place of a log that ends at the same version and time, and one more entry after them. Returns {outcome,
-- when that entry was stored}: 1 done, 2 it was done before, 0 the log ends elsewhere.
local function rewrite(keys, args)
  local last = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  if not last then
    return {0, 0}
  end
  local head, last_ms = (#args - 1) / 2, args[#args - 1]
  local at, data = last[2][2], last[2][4]
  if last[1] == string.format('%.0f-0', head + 1) and data == args[1] then
    return {2, tonumber(at)}
  end
  if last[1] ~= string.format('%.0f-0', head) or at ~= last_ms then
    return {0, 0}
  end
  redis.call('UNLINK', keys[1])
  for i = 2, #args, 2 do
    redis.call('XADD', keys[1], string.format('%.0f-0', i / 2), 'at', args[i], 'data', args[i + 1])
  end
  local at_ms = math.max(clock_ms(), tonumber(last_ms))
  redis.call('XADD', keys[1], string.format('%.0f-0', head + 1), 'at', string.format('%.0f', at_ms), 'data', args[1])
  return {1, at_ms}
end

-- keys: log, gone. args: version. Returns {head, when the head was stored, when that version was stored}, 0 for
-- what is not there.
local function head(keys, args)
  local last = redis.call('XREVRANGE', keys[1], '+', '-', 'COUNT', 1)[1]
  if not last then
    local top, at_ms = buried(keys[2])
    return {top, at_ms, tonumber(args[1]) == top and at_ms or 0}
  end
  local id = args[1] .. '-0'
  local there = redis.call('XRANGE', keys[1], id, id)[1]
  return {tonumber(string.match(last[1], '^%d+')), tonumber(last[2][2]), there and tonumber(there[2][2]) or 0}
end

-- keys: here. args: lifetime in ms, seat:process ... Marks the seats as present for that long.
local function arrive(keys, args)
  local now, life = clock_ms(), tonumber(args[1])
  for i = 2, #args do
    redis.call('ZADD', keys[1], now + life, args[i])
  end
  redis.call('ZREMRANGEBYSCORE', keys[1], '-inf', now)
  redis.call('PEXPIRE', keys[1], life)
  return now
end

-- keys: here. Returns the marks that have not expired.
local function present(keys)
  return redis.call('ZRANGEBYSCORE', keys[1], '(' .. string.format('%.0f', clock_ms()), '+inf')
end

local function shelves(prefix, game, status)
  return {
    prefix .. ':by:*:*',
    prefix .. ':by:' .. game .. ':*',
    prefix .. ':by:*:' .. status,
    prefix .. ':by:' .. game .. ':' .. status,
  }
end

-- keys: lobby prefix (all keys of the index begin with it and share its hash tag). args: table, then
-- member, game and status, or nothing more to take the table out.
local function place(keys, args)
  local tables = keys[1] .. ':tables'
  local old = redis.call('HGET', tables, args[1])
  if old then
    local member, game, status = string.match(old, '^(.-)\n(.-)\n(.*)$')
    for _, shelf in ipairs(shelves(keys[1], game, status)) do
      redis.call('ZREM', shelf, member)
    end
    redis.call('HDEL', tables, args[1])
  end
  if args[2] then
    for _, shelf in ipairs(shelves(keys[1], args[3], args[4])) do
      redis.call('ZADD', shelf, 0, args[2])
    end
    redis.call('HSET', tables, args[1], args[2] .. '\n' .. args[3] .. '\n' .. args[4])
  end
  return 1
end

-- In the index of deadlines a score with a half is a claim: somebody looks at the table now.

-- keys: deadlines. args: table and time. Names the table then or before, and marks a claim as overtaken:
-- whoever looks may not have seen what makes this time necessary.
local function wake(keys, args)
  local at, known = tonumber(args[2]), redis.call('ZSCORE', keys[1], args[1])
  known = known and tonumber(known)
  if not known or at < known then
    redis.call('ZADD', keys[1], args[2], args[1])
  elseif known % 1 ~= 0 then
    redis.call('ZADD', keys[1], string.format('%.0f', math.floor(known)), args[1])
  end
  return 1
end

-- keys: deadlines. args: now, lease and limit. Takes what is due and gives it, then when the next is due.
local function due(keys, args)
  local now, until_ms = args[1], string.format('%.1f', tonumber(args[1]) + tonumber(args[2]) + 0.5)
  local found = redis.call('ZRANGEBYSCORE', keys[1], '-inf', now, 'LIMIT', 0, args[3])
  for _, name in ipairs(found) do
    redis.call('ZADD', keys[1], until_ms, name)
  end
  local following = redis.call('ZRANGEBYSCORE', keys[1], '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return {found, following[2] or ''}
end

-- keys: deadlines. args: table, the time until which it was taken, and when to look again ('' for never).
local function look_again(keys, args)
  local score = redis.call('ZSCORE', keys[1], args[1])
  if not score or tonumber(score) ~= tonumber(args[2]) + 0.5 then
    return 0
  end
  if args[3] == '' then
    return redis.call('ZREM', keys[1], args[1])
  end
  redis.call('ZADD', keys[1], args[3], args[1])
  return 1
end

redis.register_function('facedown_1_due', due)
redis.register_function('facedown_1_wake', wake)
redis.register_function{function_name = 'facedown_1_head', callback = head, flags = {'no-writes'}}
redis.register_function('facedown_1_look_again', look_again)
redis.register_function('facedown_1_append', append)
redis.register_function('facedown_1_store', store)
redis.register_function('facedown_1_bury', bury)
redis.register_function{function_name = 'facedown_1_now', callback = clock_ms, flags = {'no-writes'}}
redis.register_function('facedown_1_arrive', arrive)
redis.register_function{function_name = 'facedown_1_present', callback = present, flags = {'no-writes'}}
redis.register_function('facedown_1_place', place)
redis.register_function('facedown_1_restore', restore)
redis.register_function('facedown_1_rewrite', rewrite)
