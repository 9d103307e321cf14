// One module for all commands: what they share of the library then stands in few files of the package, and a program
// that imports the library loads few.

export { account } from './account.ts'
export { demo } from './demo.ts'
export { explain } from './explain/explain.ts'
export { key } from './key/key.ts'
export { probe } from './probe.ts'
export { send } from './send/send.ts'
