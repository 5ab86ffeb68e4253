#if Redis
  /// What an outlet lets the server decide in one step, in Lua: nothing changes in between.
  ///
  /// The first key is the counter that numbers the outlets.
  package enum OutletScript: CaseIterable, Sendable {
    /// Gives an outlet a number of its own, which is greater than all before; also the lease, if it takes part in that.
    ///
    /// Keys: the counter, the stream, and maybe the lease. Arguments: `1` to get the last entry's fields, the holder of
    /// the lease, its time in milliseconds, and when to take one that nobody has: `first` if nobody has had the key,
    /// `ended` if the outlet before has said that it has ended, `always`.
    ///
    /// From then on the server refuses what the outlet before has sent, if the user may set the stream's last id.
    ///
    /// Returns `{1, number, may the outlet before still run, last entry}`: it may even if its number is lost, unless
    /// there was no lease. Or `{0, remaining milliseconds}` if another outlet has the lease, with a negative number if
    /// nobody has it, and it isn't taken.
    case takeOver
    /// Tells the server the outlet's number, if the server has lost it, and what the stream holds.
    ///
    /// Keys: the counter and the stream. Arguments: the number, the id of the first entry whose reply is missing, or
    /// nothing, and `1` to get the last entry's fields.
    ///
    /// Returns the counter as it was, the last entry, and the outlet's ids from the first entry on: not those of
    /// others, which may be too many for a slow link.
    case settle
    /// Adds an entry that the stream has lost, unless it has changed in the meantime.
    ///
    /// Keys: the counter and the stream. Arguments: the number, the last id that the stream is known to have, or
    /// nothing, the id before the entry, and the arguments of `XADD`. A stream whose last entries were deleted
    /// remembers their ids, so it is made to forget them, if the user may do that.
    ///
    /// Returns 1 if the entry was added, 2 if the stream remembers a greater id, and 0 if it has changed.
    case restore
    /// Renews a lease, or takes it again if the server has lost it.
    ///
    /// Keys: the counter and the lease. Arguments: the holder, the time in milliseconds, and the number. Returns 0 if
    /// another outlet has it, or if the server has lost it and another outlet has the key.
    case renew
    /// Says that the outlet has ended, so that the next one needn't wait.
    ///
    /// Keys: the counter, and maybe the lease. Arguments: the number, and the holder.
    case end

    /// What a user has to be allowed, besides what the endpoint says.
    static let commands = "EVAL, GET, SET, TIME, XADD, XRANGE, and XREVRANGE"

    /// What follows the number of an outlet that has ended.
    package static let ended = " ended"

    /// The greatest number that an id can have.
    private static let greatest = "18446744073709551615"

    private static let numbers = """
      local function greater(a, b) return #a > #b or #a == #b and a > b end
      local function number(text)
        local digits = text and text:match('^0*(%d+)')
        if text and (not digits or greater(digits, '\(greatest)')) then
          error({err = "ERR " .. KEYS[1] .. " isn't the number of an outlet: delete it"})
        end
        return digits
      end

      """

    private static let last = "local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]\n"

    package var source: String {
      switch self {
      case .takeOver:
        Self.numbers + """
          local counter = redis.call('GET', KEYS[1])
          local former = number(counter) or '0'
          local ended = counter and counter:sub(-\(Self.ended.count)) == '\(Self.ended)'
          \(Self.last)
          if KEYS[3] then
            local holder, rest = redis.call('GET', KEYS[3]), redis.call('PTTL', KEYS[3])
            if holder and holder ~= ARGV[2] then return {0, rest < 0 and tonumber(ARGV[3]) or rest} end
            local isNew = ARGV[4] == 'first' and not counter and not last
            if not holder and not ended and ARGV[4] ~= 'always' and not isNew then return {0, -1} end
          end
          local epoch = last and last[1]:match('^%d+') or '0'
          if greater(epoch, former) then former = epoch end
          if former == '\(Self.greatest)' then
            return redis.error_reply('ERR there is no greater number for an outlet: delete the key')
          end
          local time = redis.call('TIME')
          local new = time[1] .. ('%03d'):format(math.floor(time[2] / 1000))
          if not greater(new, former) then
            new = former:gsub('(%d?)(9*)$', function(digit, nines)
              return (digit == '' and 1 or digit + 1) .. ('0'):rep(#nines)
            end, 1)
          end
          redis.call('SET', KEYS[1], new)
          if KEYS[3] then redis.call('SET', KEYS[3], ARGV[2], 'PX', ARGV[3]) end
          redis.pcall('XSETID', KEYS[2], new .. '-0')
          if last and ARGV[1] ~= '1' then last = {last[1], {}} end
          local isFirst = former == '0' and ARGV[4] ~= 'always'
          return {1, new, (isFirst or ended) and 0 or 1, last or false}
          """
      case .settle:
        Self.numbers + """
          local counter = redis.call('GET', KEYS[1])
          local former = number(counter)
          \(Self.last)
          local isNewer = last and greater(last[1]:match('^%d+'), ARGV[1])
          if not isNewer and (not former or greater(ARGV[1], former)) then redis.call('SET', KEYS[1], ARGV[1]) end
          local held = {}
          if ARGV[2] ~= '' then
            for index, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[2], ARGV[1], 'COUNT', 1024)) do
              held[index] = entry[1]
            end
          end
          if last and ARGV[3] ~= '1' then last = {last[1], {}} end
          return {counter, last or false, held}
          """
      case .restore:
        Self.numbers + """
          if number(redis.call('GET', KEYS[1])) ~= ARGV[1] then return 0 end
          \(Self.last)
          if (last and last[1] or '') ~= ARGV[2] then return 0 end
          redis.pcall('XSETID', KEYS[2], ARGV[3])
          local reply = redis.pcall('XADD', KEYS[2], unpack(ARGV, 4))
          if type(reply) ~= 'table' then return 1 end
          if reply.err and reply.err:find('equal or smaller', 1, true) then return 2 end
          return reply
          """
      case .renew:
        Self.numbers + """
          local holder, former = redis.call('GET', KEYS[2]), number(redis.call('GET', KEYS[1]))
          if holder ~= ARGV[1] and former and greater(former, ARGV[3]) then return 0 end
          if holder and holder ~= ARGV[1] and former ~= ARGV[3] then return 0 end
          if holder == ARGV[1] then
            redis.call('PEXPIRE', KEYS[2], ARGV[2])
          else
            redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
          end
          return 1
          """
      case .end:
        Self.numbers + """
          if number(redis.call('GET', KEYS[1])) ~= ARGV[1] then return 0 end
          redis.call('SET', KEYS[1], ARGV[1] .. '\(Self.ended)')
          if KEYS[2] and redis.call('GET', KEYS[2]) == ARGV[2] then redis.call('DEL', KEYS[2]) end
          return 1
          """
      }
    }

    /// The command that runs it.
    func command(_ keys: [String], _ arguments: [String]) -> RedisCommand {
      var command = RedisCommand("EVAL", source, "\(keys.count)")
      for each in keys + arguments { command.append(each) }
      return command
    }
  }
#endif
