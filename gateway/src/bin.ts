#!/usr/bin/env node
// Imported by its path and built in: the library is one of the imports that an old Node.js may fail at.
import { startOnNode } from '../../flags/node-version.ts'

startOnNode('signed-requests-gateway', () => import('./cli.ts'))
