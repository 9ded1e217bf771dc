import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../../stack/parts/ports.ts'
import { startTestDns } from '../../parts/dns.ts'
import { createTestAuthority } from '../../parts/tls.ts'
import { newPrivateJwk } from '../provider.ts'

const entry = fileURLToPath(new URL('provider.process.ts', import.meta.url))

/** https://login.test as a process: killed, it forgets logins and codes, and keeps its key. `env` lets a platform see it. */
export async function openUpstreamProcess() {
  const [authority, dns, port] = [await createTestAuthority(), await startTestDns(), await freePort()]
  dns.set('login.test', { A: ['127.0.0.1'] })
  const issuer = `https://login.test:${port}`
  const known = { ...(await authority.issue(['login.test'])), issuer, port, privateJwk: await newPrivateJwk() }
  let child: ChildProcess | undefined
  let redirectUrl = ''
  const upstream = {
    issuer,
    port,
    authority,
    env: {
      OUTBOUND_DNS_SERVER: dns.address,
      OUTBOUND_CA_FILE: authority.file,
      OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    },
    /** Where it sends holders back to. */
    sendsTo(url: string): void {
      redirectUrl = url
    },
    async start(): Promise<void> {
      const words = [...process.execArgv, entry, JSON.stringify({ ...known, redirectUrl })]
      const started = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
      child = started
      let said = ''
      await new Promise<void>((resolve, reject) => {
        for (const stream of [started.stdout, started.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text
            if (said.includes('ready')) resolve()
          })
        started.on('exit', () => reject(new Error(`the provider did not start: ${said}`)))
      })
    },
    async kill(): Promise<void> {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async close(): Promise<void> {
      await upstream.kill()
      await dns.close()
      authority.close()
    },
  }
  return upstream
}
