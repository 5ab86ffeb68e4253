// expect: the first value has a label: `Publisher(initial: …)`

import SubPub

let counter = Publisher(0)
// instead: let counter = Publisher(initial: 0)
