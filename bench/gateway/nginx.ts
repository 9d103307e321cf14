import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { findNginx } from '../../test/support/nginx.ts'
import { cpuOf, residentOf, type ServerProcess } from './process.ts'

/** Starts nginx with one worker that only proxies. */
export async function startNginx(upstream: string): Promise<ServerProcess> {
  const nginx = findNginx()
  if (nginx === undefined) throw new Error('there is no nginx: apt-get install nginx')
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid nginx.pid; error_log error.log; events {}
http { access_log off; ${temporary.join(' ')}
  upstream app { server ${new URL(upstream).host}; keepalive 64; }
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; client_body_buffer_size 1m;
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host $http_host; } } }`
  )
  const child = spawn(nginx, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(url).catch(() => undefined))) await delay(25)
  const pid = Number(readFileSync(join(folder, 'nginx.pid'), 'utf8'))
  return { url, cpu: () => cpuOf(pid), resident: () => residentOf(pid), stop: () => child.kill() }
}
