#!/usr/bin/env node
import { startOnNode } from '../flags/node-version.ts'

startOnNode('signed-requests', () => import('./main.ts'))
