#!/usr/bin/env node
import { startOnNode } from './node-version.ts'

startOnNode('signed-requests', () => import('./main.ts'))
