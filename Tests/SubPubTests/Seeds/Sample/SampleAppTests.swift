import Foundation
import SubPub
import Testing

@Suite("The sample of the seeds comes to a good end, whatever the endpoint and the schedule", .timeLimit(.minutes(30)))
struct SampleAppTests {
  @Test("every transition is in the table, and every entry of the table is seen")
  func stochastic_5_01_5_04_5_05_5_07_5_08_wholeSample() async {
    let seeds = SampleApp.Seeds.current
    let report = await SampleApp.Report.of(seeds)
    print(report)
    for failure in report.failures { Issue.record(Comment(rawValue: failure)) }
    #expect(report.failing == 0)
    // Of a few runs the counts say nothing.
    guard report.runs >= 500 else { return }
    let least = report.runs / 100
    for (name, legal, seen) in report.tables {
      for transition in legal {
        #expect(seen[transition, default: 0] >= least, "\(name): \(transition)")
      }
    }
  }

  @Test("the same seed, the same run")
  func required_7_02_sameRun() async {
    let (first, second) = (await SampleApp.Report.of(1..<51), await SampleApp.Report.of(1..<51))
    #expect(first.histories == second.histories)
    #expect(Set(first.histories).count == 50)
  }
}
