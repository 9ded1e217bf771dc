import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { median, percentile } from '../measure.ts'
import type { Tools } from '../prepare.ts'

export const SESSIONS = 'openid'

/** Wallets that collect at a time. */
const TOGETHER = 20
const ROUNDS = 3
/** In a whole run, with as many workers. */
const ALL = 500
const STEPS = ['offer', 'token', 'nonce', 'credential'] as const
const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

type Step = (typeof STEPS)[number]

/** Sessions of the pre-authorized code grant, with so many worker processes. */
export interface Sessions {
  workers: number
  sessions: number
  /** Of each round. */
  seconds: number[]
  /** Of each step, in milliseconds. */
  latencies: Record<Step, number[]>
  /** Processor time of each part in all rounds, in milliseconds; undefined where that cannot be told. */
  workMs: Record<string, number> | undefined
  /** Sessions that did not end with one credential. */
  wrong: number
}

const template = {
  name: 'Course certificate',
  type: 'CourseCertificate',
  additional_types: [],
  revocable: true,
  contexts: ['https://www.w3.org/ns/credentials/v2', { '@vocab': 'https://university.example/terms#' }],
  claim_mappings: {
    given_name: { map_from: 'claims.given_name', required: true },
    course: { default_value: 'CS-101' },
  },
  issuer: { name: 'Example University' },
  proof_type: 'eddsa-rdfc-2022',
}

/** Keys are of P-256, as of most wallets; one for all sessions, so that the wallet's own work is little. */
async function createWallet(base: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return (nonce: string) =>
    new SignJWT({ nonce })
      .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk })
      .setAudience(base)
      .setIssuedAt()
      .sign(privateKey)
}

async function answerOf<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`)
  return JSON.parse(text) as T
}

/** One wallet after the other collects one credential, `TOGETHER` at a time, with one worker and with two. */
export async function measureSessions({ platform, seconds, say }: Pick<Tools, 'platform' | 'seconds' | 'say'>) {
  const base = `http://${platform.host}:${platform.port}`
  await platform.post('/v1/dids', { method: 'KEY', options: { keyType: 'ed25519' }, issuer: true })
  const { id } = await platform.post<{ id: string }>('/v1/credentials/web-semantic/configurations', {
    ...template,
    name: `Course certificate ${randomUUID()}`,
  })
  const prove = await createWallet(base)

  async function collect(times: Record<Step, number[]>): Promise<void> {
    const timed = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
      const begun = performance.now()
      const result = await work()
      times[step].push(performance.now() - begun)
      return result
    }
    const { uri } = await timed('offer', () =>
      platform.post<{ uri: string }>('/v1/openid/sessions', { credentials: [id], claims: { given_name: 'Ada' } }),
    )
    const offer = JSON.parse(new URL(uri).searchParams.get('credential_offer') ?? '') as {
      grants: Record<string, { 'pre-authorized_code': string }>
    }
    const code = offer.grants[PRE_AUTHORIZED]?.['pre-authorized_code'] ?? ''
    const { access_token } = await timed('token', () =>
      answerOf<{ access_token: string }>(`${base}/v1/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }),
      }),
    )
    const { c_nonce } = await timed('nonce', () =>
      answerOf<{ c_nonce: string }>(`${base}/v1/openid/nonce`, { method: 'POST' }),
    )
    const request = { credential_configuration_id: id, proofs: { jwt: [await prove(c_nonce)] } }
    const { credentials } = await timed('credential', () =>
      answerOf<{ credentials: unknown[] }>(`${base}/v1/openid/credential`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      }),
    )
    if (credentials.length !== 1) throw new Error(`a session gave ${credentials.length} credentials`)
  }

  async function round(sessions: number, times: Record<Step, number[]>): Promise<{ seconds: number; wrong: number }> {
    let left = sessions
    let wrong = 0
    const begun = performance.now()
    const lane = async () => {
      while (left > 0) {
        left -= 1
        await collect(times).catch((error: unknown) => {
          wrong += 1
          say(error instanceof Error ? error.message : String(error))
        })
      }
    }
    await Promise.all(Array.from({ length: TOGETHER }, lane))
    return { seconds: (performance.now() - begun) / 1000, wrong }
  }

  const noTimes = (): Record<Step, number[]> => ({ offer: [], token: [], nonce: [], credential: [] })

  async function measure(workers: number, sessions: number): Promise<Sessions> {
    await round(Math.ceil(sessions / 5), noTimes()) // warms up
    const issued = await platform.countCredentials()
    const before = platform.workByPart()
    const latencies = noTimes()
    const rounds: { seconds: number; wrong: number }[] = []
    for (let nth = 0; nth < ROUNDS; nth += 1) rounds.push(await round(sessions, latencies))
    const missing = ROUNDS * sessions - ((await platform.countCredentials()) - issued)
    const after = platform.workByPart()
    const measured = {
      workers,
      sessions,
      seconds: rounds.map((each) => each.seconds),
      latencies,
      workMs: before && after && difference(before, after),
      wrong: rounds.reduce((sum, each) => sum + each.wrong, Math.abs(missing)),
    }
    say(`${workers} workers: ${rounds.map((each) => (sessions / each.seconds).toFixed(1)).join(', ')} sessions/s`)
    return measured
  }

  const sessions = Math.ceil((seconds * ALL) / 15 / ROUNDS)
  const one = await measure(1, sessions)
  await platform.addWorker()
  return [one, await measure(2, sessions)]
}

const difference = (before: Record<string, number>, after: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]))

/** Sessions in a second, the times of their steps, and what they cost. */
export function sessionsTable(all: readonly Sessions[]): string {
  const parts = Object.keys(all[0]?.workMs ?? {})
  const p95 = (times: number[]) =>
    percentile(
      times.toSorted((a, b) => a - b),
      95,
    ).toFixed(0)
  const head = [
    'OpenID sessions',
    'Workers',
    'Sessions',
    'Sessions /s (rounds)',
    ...STEPS.map((step) => `p95 ms ${step}`),
  ]
  const cells = [
    [...head, 'Wrong', ...parts.map((part) => `CPU ms ${part}`)],
    [...head, 'Wrong', ...parts].map((_, at) => (at === 0 ? '---' : '--:')),
    ...all.map(({ workers, sessions, seconds, latencies, workMs, wrong }) => {
      const rates = seconds.map((each) => sessions / each)
      return [
        `pre-authorized code, ldp_vc, ${TOGETHER} at a time`,
        String(workers),
        `${ROUNDS} × ${sessions}`,
        `**${median(rates).toFixed(1)}** (${Math.min(...rates).toFixed(1)} – ${Math.max(...rates).toFixed(1)})`,
        ...STEPS.map((step) => p95(latencies[step])),
        String(wrong),
        ...parts.map((part) => ((workMs?.[part] ?? Number.NaN) / (ROUNDS * sessions)).toFixed(1)),
      ]
    }),
  ]
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n')
}
