import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import express from 'express'
import { createDocuments, type Documents } from '../../../activities/documents/index.ts'
import { createSelfTest } from '../../../activities/documents/self-test.ts'
import { health } from '../../../api/frame/health.ts'
import { Unavailable } from '../../../protocol/errors.ts'
import { createDid, payload } from '../../support/credentials/credentials.ts'
import { openWorld, type World } from '../../support/world.ts'

const now = () => new Date()
const never = () => new Promise<never>(() => undefined)

const rejection = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error.message,
  )

const readiness = async (world: World) => {
  const reply = await world.ask('/health/ready')
  return { code: reply.status, ...reply.json<{ status: string; parts: Record<string, string> }>() }
}

/** What one header of a CSV did to the processes of before: a function that all objects share has a member of its own. */
function spoil(): () => void {
  Object.assign(Object.prototype.toString, { call: '1' })
  return () => Reflect.deleteProperty(Object.prototype.toString, 'call')
}

test.serial(
  'a process whose built-ins are broken is not ready, names the part, and is ready once it works (D-157)',
  async (t) => {
    const world = await openWorld()
    try {
      const did = await createDid(world)
      t.like(await readiness(world), { code: 200, parts: { documents: 'up', database: 'up' } })
      const body = { payload: payload(did), proofType: 'eddsa-rdfc-2022', revocable: false }
      const answers: { signing?: number; alive?: number; ready?: object } = {}
      const mend = spoil() // what compares answers needs these functions too
      try {
        answers.signing = (await world.ask('/v1/credentials/web-semantic/sign', { token: world.token, body })).status
        answers.alive = (await world.ask('/health/live')).status
        await pause(5_100) // the last answer holds for so long
        answers.ready = await readiness(world)
      } finally {
        mend()
      }
      t.not(answers.signing, 200, 'it signs nothing')
      t.is(answers.alive, 200)
      t.like(answers.ready, { code: 503, status: 'unready', parts: { documents: 'down', database: 'up' } })
      await pause(5_100)
      t.like(await readiness(world), { code: 200, parts: { documents: 'up' } })
    } finally {
      await world.close()
    }
  },
)

const real = async (run: (documents: Documents) => Promise<void>) => {
  const documents = createDocuments({ threads: 1, random: randomBytes })
  try {
    await run(documents)
  } finally {
    await documents.close()
  }
}

test('keys that are away are no fault of the process: degraded, and documents are up (D-008, D-157)', (t) =>
  real(async (documents) => {
    const up = async () => ({ rows: [] })
    const away = () => Promise.reject(new Unavailable('keys', 'away'))
    const selfTest = createSelfTest({ documents, now })
    const parts = {
      sql: { query: up },
      keys: { ready: away },
      temporal: { check: up },
      selfTest,
      stopping: () => false,
    }
    const server = createServer(express().use(health(parts as unknown as Parameters<typeof health>[0])))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const reply = await fetch(`http://127.0.0.1:${port}/health/ready`)
      const told = { database: 'up', keys: 'down', temporal: 'up', documents: 'up' }
      t.deepEqual([reply.status, await reply.json()], [200, { status: 'degraded', parts: told }])
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }))

test('the test runs once at a time and not again within the time that its answer holds', (t) =>
  real(async (documents) => {
    let signed = 0
    const sign: Documents['sign'] = (...given) => {
      signed++
      return documents.sign(...given)
    }
    const selfTest = createSelfTest({ documents: { ...documents, sign }, now, heldMs: 1_000 })
    await Promise.all(Array.from({ length: 50 }, () => selfTest.check()))
    t.is(signed, 2, 'once here, once in a thread')
    await selfTest.check()
    t.is(signed, 2)
    for (let tries = 0; tries < 100 && signed < 4; tries++) {
      await pause(100)
      await selfTest.check()
    }
    t.true(signed >= 4, 'and again in both once the answers are old')
  }))

test('it goes through the code of every request: in this thread, and in one of the pool', (t) =>
  real(async (documents) => {
    const lanes: boolean[] = []
    const sign: Documents['sign'] = (request, lookup) => {
      lanes.push(JSON.stringify(request.credential).includes('"@context":{}'))
      return documents.sign(request, lookup)
    }
    await createSelfTest({ documents: { ...documents, sign }, now }).prove()
    t.deepEqual(lanes, [false, true])
  }))

test('what fails here, or failed in a thread, is told to readiness and once to the log', async (t) => {
  const told: unknown[] = []
  const failing = (where: (isThreaded: boolean) => boolean, error: Error) => {
    const sign: Documents['sign'] = ({ credential }) => {
      const isThreaded = JSON.stringify(credential).includes('"@context":{}')
      return where(isThreaded) ? Promise.reject(error) : Promise.resolve({ ...credential, proof: {} })
    }
    let answers = [true, false]
    const verify: Documents['verify'] = async () => {
      const [verified = false, ...rest] = answers
      answers = [...rest, verified]
      return { verified, reason: [] }
    }
    return createSelfTest({ documents: { sign, verify }, now, heldMs: 0, failed: (each) => told.push(each) })
  }
  const broken = new TypeError('broken')
  const here = failing((isThreaded) => !isThreaded, broken)
  t.is(await rejection(here.check()), 'broken')
  t.is(await rejection(here.check()), 'broken')
  t.deepEqual(told, [broken])
  const threads = failing((isThreaded) => isThreaded, broken)
  await rejection(threads.check())
  await pause(10)
  t.is(await rejection(threads.check()), 'broken')
  const busy = failing((isThreaded) => isThreaded, new Unavailable('documents', 'full'))
  await busy.check()
  await pause(10)
  t.is(await rejection(busy.check()), undefined, 'a full queue is no fault')
})

test('a process that verifies what was changed is not ready either', async (t) => {
  const sign: Documents['sign'] = async ({ credential }) => ({ ...credential, proof: {} })
  const always: Documents['verify'] = async () => ({ verified: true, reason: [] })
  t.regex((await rejection(createSelfTest({ documents: { sign, verify: always }, now }).check())) ?? '', /changed/)
  const nothing: Documents['verify'] = async () => ({ verified: false, reason: [] })
  t.regex((await rejection(createSelfTest({ documents: { sign, verify: nothing }, now }).check())) ?? '', /not verify/)
})

test('a test that does not end is an answer within its bound, and no second one is begun', async (t) => {
  let begun = 0
  const sign: Documents['sign'] = () => {
    begun++
    return never()
  }
  const verify: Documents['verify'] = never
  const selfTest = createSelfTest({ documents: { sign, verify }, now, boundMs: 50, heldMs: 0 })
  for (let times = 0; times < 3; times++) t.regex((await rejection(selfTest.check())) ?? '', /within 50 ms/)
  t.is(begun, 2)
})
