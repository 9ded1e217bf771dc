import test from 'ava'
import { createDid, payload, sign, verify } from './support/credentials.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const V2 = 'https://www.w3.org/ns/credentials/v2'
const SIGN = '/v1/credentials/web-semantic/sign'
const VERIFY = '/v1/credentials/web-semantic/verify'

const percentile = (values: number[], percent: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil((percent / 100) * values.length) - 1] ?? Number.NaN

/** Asks /health/live again and again while `work` runs; milliseconds of each answer. */
async function liveDuring<Result>(work: Promise<Result>): Promise<{ result: Result; waited: number[] }> {
  const waited: number[] = []
  let running = true
  const asking = (async () => {
    while (running || waited.length < 20) {
      const asked = performance.now()
      const { status } = await world.ask('/health/live')
      if (status !== 200) throw new Error(`/health/live answered ${status}`)
      waited.push(performance.now() - asked)
    }
  })()
  const ended = work.finally(() => {
    running = false
  })
  const [result] = await Promise.all([ended, asking])
  return { result, waited }
}

/** What else runs on the machine can spoil a try; a held event loop spoils every one. */
async function withinTries(t: import('ava').ExecutionContext, limitMs: number, work: () => Promise<unknown>) {
  const seen: number[] = []
  while (seen.length < 4 && !seen.some((ms) => ms < limitMs)) {
    const { waited } = await liveDuring(work())
    seen.push(percentile(waited, 99))
  }
  t.log(`p99 of /health/live: ${seen.map((ms) => ms.toFixed(1)).join(', ')} ms`)
  t.true(Math.min(...seen) < limitMs)
}

test.serial('p99 of /health/live is under 50 ms while 40 BBS verifications run', async (t) => {
  t.timeout(240_000)
  const did = await createDid(world, 'bls12381g2')
  const { credential } = await sign(world, did, { proofType: 'bbs-2023' })
  t.true((await verify(world, credential)).verified)
  await withinTries(t, 50, async () => {
    const verdicts = await Promise.all(Array.from({ length: 40 }, () => verify(world, credential)))
    t.true(verdicts.every(({ verified }) => verified))
  })
})

test.serial('p99 of /health/live is under 50 ms while 40 BBS signatures are made', async (t) => {
  t.timeout(240_000)
  const did = await createDid(world, 'bls12381g2')
  await withinTries(t, 50, () =>
    Promise.all(Array.from({ length: 40 }, () => sign(world, did, { proofType: 'bbs-2023' }))),
  )
})

/** Terms with contexts of their own: 1,000 of them are 82 kB to send and seconds to process. */
const bomb = (terms: number) =>
  Object.fromEntries(
    Array.from({ length: terms }, (_, index) => [
      `term${index}`,
      { '@id': `https://bomb.example/${index}`, '@context': { [`inner${index}`]: 'https://bomb.example/inner' } },
    ]),
  )

const used = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`term${index * 3}`, { id: `urn:x:${index}` }]),
)

const exploding = (issuer: string, terms: number) =>
  payload(issuer, { '@context': [V2, bomb(terms)], credentialSubject: { id: 'did:example:holder', ...used } })

test.serial('1,000 scoped contexts end with 400 in seconds, and nobody waits', async (t) => {
  t.timeout(240_000)
  const did = await createDid(world)
  const heavy = exploding(did, 1_000)
  const proof = { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022', proofPurpose: 'assertionMethod' }
  const verificationMethod = `${did}#${did.split(':')[2]}`
  const signed = { ...heavy, proof: { ...proof, verificationMethod, proofValue: 'z1111' } }
  for (const [path, body] of [
    [SIGN, { payload: heavy, proofType: 'eddsa-rdfc-2022', revocable: false }],
    [VERIFY, { payload: signed }],
  ] as const)
    await withinTries(t, 100, async () => {
      const begun = performance.now()
      const reply = await world.ask(path, { token: world.token, body })
      const ms = performance.now() - begun
      t.log(`${path}: ${reply.status} after ${Math.round(ms)} ms`)
      t.like(reply.json(), { status: 400, type: '/problems#credential.too_complex' })
      t.true(ms < 15_000)
    })
})

test.serial('5,000 of them are not so much as looked at', async (t) => {
  const body = { payload: exploding(await createDid(world), 5_000), proofType: 'eddsa-rdfc-2022', revocable: false }
  const reply = await world.ask(SIGN, { token: world.token, body })
  t.like(reply.json(), { status: 400, type: '/problems#request.too_many_members' })
})

test.serial('small documents whose nodes are costly are processed aside', async (t) => {
  t.timeout(240_000)
  const did = await createDid(world)
  const evidence = Array.from({ length: 400 }, () => ({ type: ['VerifiableCredential', 'VerifiablePresentation'] }))
  const body = { payload: payload(did, { evidence }), proofType: 'eddsa-rdfc-2022', revocable: false }
  await withinTries(t, 100, async () => {
    const reply = await world.ask(SIGN, { token: world.token, body })
    t.true([200, 400].includes(reply.status), reply.text)
  })
})
