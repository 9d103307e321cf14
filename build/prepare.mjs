// Builds when npm installs a clone, packs it, or installs it from its address. `npm install FOLDER` links a clone
// without installing what it needs to run and to be built, so that is done here.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// Of the npm that runs this: it would make the next one work in another folder.
const ofFolder = /^npm_config_(?:local_)?prefix$/i
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofFolder.test(name)))
const npm = (...args) => execFileSync('npm', args, { env, stdio: 'inherit', shell: process.platform === 'win32' })

if (!existsSync('node_modules/tsup')) npm('ci', '--ignore-scripts', '--no-audit', '--no-fund')
npm('run', 'build')
