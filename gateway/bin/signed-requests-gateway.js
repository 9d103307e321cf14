#!/usr/bin/env node
// npm links this file when it installs a clone, before anything is built.
import '../dist/cli.js'
