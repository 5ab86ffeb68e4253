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
  }
#endif
