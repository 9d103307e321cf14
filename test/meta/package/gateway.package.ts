import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { CHALLENGE } from '../../support/service.ts'

const bin = join(inject('gatewayFolder'), 'node_modules/.bin/signed-requests-gateway')
const SOURCE = new URL('../../../gateway/src/page/', import.meta.url)

test('the gateway of the package serves every file of its page unchanged, its metrics and its challenge', async () => {
  const args = ['--upstream=http://127.0.0.1:9', '--domain=service.example', '--host=hooks.example.com']
  const more = ['--account=1234', '--https=always', '--listen=127.0.0.1:0', '--admin=127.0.0.1:0']
  const gateway = spawn(bin, [...args, ...more])
  onTestFinished(() => {
    gateway.kill('SIGKILL')
  })
  let said = ''
  for await (const text of gateway.stderr) {
    said += text
    if (/admin page on http:\/\/[\d.:]+\//.test(said)) break
  }
  const [url = ''] = /http:\/\/[\d.:]+\/(?=\s*$)/m.exec(said.slice(said.indexOf('admin page'))) ?? []
  expect(url).not.toBe('')

  const names = readdirSync(SOURCE)
  expect(names).toContain('index.html')
  for (const name of names) {
    const response = await fetch(url + (name === 'index.html' ? '' : name))
    const served = { name, status: response.status, text: await response.text() }
    expect(served).toEqual({ name, status: 200, text: readFileSync(new URL(name, SOURCE), 'utf8') })
  }
  const [address = ''] = /http:\/\/[\d.:]+(?= for)/.exec(said) ?? []
  const refused = await fetch(address)
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, CHALLENGE])
  expect(await (await fetch(`${url}metrics`)).text()).toContain('process_resident_memory_bytes')
  const ended = new Promise(resolve => gateway.on('exit', resolve))
  gateway.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('the lock of the image has the versions and hashes of package-lock.json', () => {
  const tarballs = dirname(inject('gatewayFolder'))
  const [folder, root] = [join(tarballs, 'image'), new URL('../../../', import.meta.url)]
  const packages = readdirSync(tarballs).filter(name => /^signed-requests-(?:gateway-)?\d.*\.tgz$/.test(name))
  execFileSync(process.execPath, ['build/image-lock.mjs', folder, ...packages.map(name => join(tarballs, name))], {
    cwd: root
  })
  const read = (file: string | URL) => JSON.parse(readFileSync(file, 'utf8')).packages
  const [ours, locked] = [read(new URL('package-lock.json', root)), read(join(folder, 'package-lock.json'))]
  const names = Object.keys(locked).filter(name => ours[name]?.integrity !== undefined)
  expect(names).toContain('node_modules/tldts-core')
  for (const name of names) expect([name, locked[name].integrity]).toEqual([name, ours[name].integrity])
  const others = Object.keys(locked).filter(name => name !== '' && !names.includes(name))
  expect(others.sort()).toEqual(['node_modules/signed-requests', 'node_modules/signed-requests-gateway'])
})
