#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  extension ManagerFamilyTests {
    @Test("a manager that somebody listens to is kept even before the family is told")
    func required_5_19_noticeOnItsWay() throws {
      let (publisher, manager, log) = (Publisher<Int>(), LoadingManager { 1 }, Recorder<Int>())
      var members = FamilyMembers()
      let member = FamilyMember(manager, manager, 1, publisher.registry)
      publisher.registry.addNotice(for: member.id, countingParts: false) {}
      _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      let started = members.keep(member, manager, until: .seconds(1)).timer
      let timer = try #require(started).started
      publisher.subscribe(log, on: .immediate)
      let late = members.evict(at: .seconds(2), lingering: .seconds(1), latest: .seconds(1), for: timer)
      #expect((late.evicted.isEmpty, late.next) == (true, nil))
      #expect(members.noteListeners(of: member, manager, until: nil).released.isEmpty)
      publisher.unsubscribe(log)
      #expect(members.noteListeners(of: member, manager, until: nil).released.first?.manager === manager)
      #expect(members.noteListeners(of: member, manager, until: nil).released.isEmpty)
    }

    @Test("a family whose clock has failed keeps a manager that somebody listens to even before it is told")
    func required_5_19_failureBeforeNotice() {
      let (publisher, manager, log) = (Publisher<Int>(), LoadingManager { 1 }, Recorder<Int>())
      var members = FamilyMembers()
      let member = FamilyMember(manager, manager, 1, publisher.registry)
      publisher.registry.addNotice(for: member.id, countingParts: false) {}
      _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      _ = members.keep(member, manager, until: .seconds(1))
      publisher.subscribe(log, on: .immediate)
      #expect(members.stopKeeping().isEmpty)
      publisher.unsubscribe(log)
      #expect(members.stopKeeping().first?.manager === manager)
    }

    @Test("a family looks again after its lingering time at the latest, even if its clock is set back just then")
    func required_5_19_setBackMeanwhile() throws {
      let (publisher, manager) = (Publisher<Int>(), LoadingManager { 1 })
      var members = FamilyMembers()
      let member = FamilyMember(manager, manager, 1, publisher.registry)
      _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      // Another thread has read the clock before it was set back, and comes between the timer's steps.
      let latest = members.latestDeadline
      let started = members.keep(member, manager, until: .seconds(3_610)).timer
      let timer = try #require(started).started
      let found = members.evict(at: .zero, lingering: .seconds(10), latest: latest, for: timer)
      #expect((found.evicted.isEmpty, found.next) == (true, .seconds(10)))
    }

    @Test("after its clock has failed, a family keeps what is asked for later")
    func required_5_19_afterFailure() throws {
      let (publisher, manager, log) = (Publisher<Int>(), LoadingManager { 1 }, Recorder<Int>())
      var members = FamilyMembers()
      let member = FamilyMember(manager, manager, 1, publisher.registry)
      publisher.registry.addNotice(for: member.id, countingParts: false) {}
      _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      _ = members.keep(member, manager, until: .seconds(1))
      publisher.subscribe(log, on: .immediate)
      _ = members.noteListeners(of: member, manager, until: .seconds(1))
      #expect(members.stopKeeping().isEmpty)
      publisher.unsubscribe(log)
      let started = members.noteListeners(of: member, manager, until: .seconds(2)).timer
      let timer = try #require(started).started
      let evicted = members.evict(at: .seconds(2), lingering: .seconds(1), latest: .seconds(2), for: timer).evicted
      #expect(evicted.map(\.manager).first === manager)
    }

    @Test("of too many that linger, none goes that somebody listens to, even before the family is told")
    func required_5_28_noticeOnItsWay() {
      var members = FamilyMembers(mostLingering: 1)
      let managers = (0..<3).map { _ in LoadingManager { 1 } }
      let all = managers.map { FamilyMember($0, $0, ObjectIdentifier($0).hashValue, $0.publisher.registry) }
      let log = Recorder<Int>()
      for (member, manager) in zip(all, managers) {
        manager.publisher.registry.addNotice(for: member.id, countingParts: false) {}
        _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      }
      _ = members.keep(all[0], managers[0], until: .seconds(10))
      managers[0].publisher.subscribe(log, on: .immediate)
      #expect(members.keep(all[1], managers[1], until: .seconds(10)).released.isEmpty)
      let released = members.keep(all[2], managers[2], until: .seconds(10)).released
      #expect(released.map { $0.manager === managers[1] } == [true])
    }

    @Test("members that were let go, or died, don't pile up")
    func required_5_28_noPile() {
      struct Weak { weak var member: FamilyMember? }
      var (members, all) = (FamilyMembers(mostLingering: 10), [Weak]())
      for number in 0..<1_000 {
        let manager = LoadingManager { 1 }
        let member = FamilyMember(manager, manager, number, manager.publisher.registry)
        _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
        _ = members.keep(member, manager, until: .seconds(1_000))
        _ = members.letGo(member)
        members.remove([member])
        _ = members.takeDropped()
        all.append(Weak(member: member))
      }
      #expect(all.count { $0.member != nil } < 100)
    }

    @Test("a family that is made while its clock is far behind keeps nothing for longer than its time")
    func required_5_19_negativeTime() throws {
      let manager = LoadingManager { 1 }
      var members = FamilyMembers()
      let member = FamilyMember(manager, manager, 1, manager.publisher.registry)
      _ = members.install(member, seeing: nil, insteadOf: nil, logouts: 0)
      let started = members.keep(member, manager, until: .seconds(-990)).timer
      let timer = try #require(started).started
      let found = members.evict(
        at: .seconds(-990), lingering: .seconds(10), latest: members.latestDeadline, for: timer)
      #expect(found.evicted.count == 1)
    }
  }
#endif
