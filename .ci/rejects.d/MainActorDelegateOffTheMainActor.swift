// expect: call to main actor-isolated instance method 'add(_:ifDuplicate:label:)' in a synchronous nonisolated context

import SubPub

@MainActor protocol ButtonDelegate: AnyObject {}
final class Screen: ButtonDelegate {}
let buttons = MainActorMulticastDelegate<any ButtonDelegate>()

func attach(_ screen: Screen) { buttons.add(screen) }
// instead: @MainActor func attach(_ screen: Screen) { buttons.add(screen) }
