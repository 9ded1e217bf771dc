import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { createDid, sign } from '../../support/credentials/credentials.ts'
import { placesIn, withText } from '../../support/frame/hostile.bodies.ts'
import { openTarget, type Target } from '../../support/frame/hostile.ts'
import { HOSTILE_NAMES, HOSTILE_PATHS, nestedJson, watchIntrinsics } from '../../support/frame/intrinsics.ts'
import { bodySchema, fill, type Operation, operations, parametersIn } from '../../support/frame/openapi.ts'
import type { RawAsk } from '../../support/parts/raw.ts'
import { inTurn } from '../../support/parts/thorough.ts'

let target: Target
let changes: () => string[]
test.before(async () => {
  target = await openTarget()
  await ordinary()
  changes = watchIntrinsics()
})
test.after.always(() => target?.close())

/** What every tenant asks for: it must go on. */
async function ordinary(): Promise<void> {
  const { world } = target
  for (const [keyType, proofType] of [
    ['ed25519', 'eddsa-rdfc-2022'],
    ['bls12381g2', 'bbs-2023'],
  ] as const)
    await sign(world, await createDid(world, keyType), { proofType })
}

const bodies: Operation[] = operations.filter((operation) => bodySchema(operation))

type Json = Record<string, unknown>

/** JSON text of a body with one more member in one of its objects. */
function withMember(body: Json, path: (string | number)[], name: string, member: string): string {
  if (path.length === 0) return `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:${member}}`
  const object = placesIn(body).find(({ path: place }) => place.join('\n') === path.join('\n'))?.value
  const opened = JSON.stringify(object).slice(0, -1)
  return withText(body, path, `${opened}${opened === '{' ? '' : ','}${JSON.stringify(name)}:${member}}`)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The operation's example with the names in the place of a member, of a value, or of an item. */
function hostileBodies(body: Json, names: string[], at: number): string[] {
  const objects = [{ path: [], value: body }, ...placesIn(body).filter(({ value }) => isObject(value))]
  const texts = placesIn(body).filter(({ value }) => typeof value === 'string')
  const [first = '', ...rest] = names
  const object = objects[at % objects.length]
  const text = texts[at % Math.max(texts.length, 1)]
  return [
    ...(object ? [withMember(body, object.path, first, nestedJson(rest, '"x"'))] : []),
    ...(object ? [withMember(body, object.path, names.join('.'), '"x"')] : []),
    ...(text ? [withText(body, text.path, JSON.stringify(names.join('.')))] : []),
    ...(text ? [withText(body, text.path, nestedJson(names, '"x"'))] : []),
    ...(text ? [withText(body, text.path, JSON.stringify(`/${names.join('/')}`))] : []),
  ]
}

const attack = async (t: ExecutionContext, operation: Operation, ask: Partial<RawAsk>) => {
  const { status, text } = await target.attack(operation, ask)
  t.true(status < 500, `${operation.operationId} ${JSON.stringify(ask).slice(0, 300)}: ${status} ${text.slice(0, 300)}`)
}

for (const operation of bodies)
  test.serial(
    `${operation.operationId}: names of every object in each place of the body change no built-in`,
    async (t) => {
      const body = target.exampleBody(operation)
      const places = 1 + placesIn(body).length
      for (let at = 0; at < places; at++)
        for (const name of inTurn(HOSTILE_NAMES, at)) {
          const texts = hostileBodies(body, [name, 'call'], at)
          // one of the forms for each place and name, so that all of them meet all places and all names
          await attack(t, operation, { body: texts[(at + HOSTILE_NAMES.indexOf(name)) % texts.length] })
        }
      t.deepEqual(changes(), [])
    },
  )

test.serial('any path of such names, in any place of any body, changes no built-in (D-150)', async (t) => {
  const names = fc.array(fc.constantFrom(...HOSTILE_NAMES, 'id', '0'), { minLength: 1, maxLength: 4 })
  const places = fc.record({ operation: fc.constantFrom(...bodies), names, at: fc.nat(40) })
  await fc.assert(
    fc.asyncProperty(places, async ({ operation, names, at }) => {
      for (const body of hostileBodies(target.exampleBody(operation), names, at)) await attack(t, operation, { body })
      t.deepEqual(changes(), [])
    }),
    { numRuns: 150 },
  )
})

for (const [turn, operation] of operations.entries())
  test.serial(`${operation.operationId}: such names in path, query and headers change no built-in`, async (t) => {
    if (operation.method === 'DELETE') return t.pass()
    const body = bodySchema(operation) ? JSON.stringify(target.exampleBody(operation)) : undefined
    const inPath = parametersIn(operation, 'path')
    for (const name of inTurn(HOSTILE_NAMES, turn)) {
      const path = target.pathOf(operation)
      const query = parametersIn(operation, 'query').map((parameter) => `${parameter}=${name}`)
      for (const each of [`${name}=1`, `${name}[call]=1`, `a[${name}]=1`, `${name}.call=1`, ...query])
        await attack(t, operation, { body, path: `${path}?${each}` })
      await attack(t, operation, {
        body,
        headers: { [name]: 'x', 'idempotency-key': `${name}-${operation.operationId}` },
      })
      await attack(t, operation, {
        body,
        headers: { prefer: name, accept: name, 'if-none-match': name, cookie: `${name}=1` },
      })
      const values = Object.fromEntries(inPath.map((parameter) => [parameter, name]))
      if (inPath.length > 0) await attack(t, operation, { body, path: fill(operation.path, values) })
    }
    t.deepEqual(changes(), [])
  })

const BATCHES = '/v1/credentials/batches'
const post = (path: string, type: string, body: string) =>
  target.client.ask({ method: 'POST', path, token: target.sample.token, headers: { 'content-type': type }, body })

const header = (names: string[]) => names.join('.')

test.serial('a CSV column of such names is refused by its number, and changes no built-in (D-150)', async (t) => {
  const { did, templateId } = target.sample
  const forClaims = `${BATCHES}?templateId=${templateId}`
  const forPayloads = `${BATCHES}?issuer=${encodeURIComponent(did)}&proofType=eddsa-rdfc-2022`
  for (const path of [forPayloads, forClaims])
    for (const names of HOSTILE_PATHS)
      for (const column of [
        header(names),
        `course.${header(names)}`,
        `${header(names)}:number`,
        `${header(names)}:json`,
      ]) {
        const reply = await post(path, 'text/csv', `id,${column}\ndid:example:a,1\n`)
        t.is(reply.status, 400, `${column}: ${reply.text}`)
        const { type, errors } = JSON.parse(reply.text) as { type: string; errors: { path: string; code: string }[] }
        t.is(type, '/problems#batch.csv_header', column)
        t.like(errors[0], { path: 'column.2', code: 'column.invalid' }, column)
      }
  t.deepEqual(changes(), [])
  await ordinary()
})

test.serial(
  'a line of a batch with such names is a row, or a row with an error, and changes no built-in',
  async (t) => {
    const { did } = target.sample
    const rows = HOSTILE_PATHS.flatMap((names) => [
      nestedJson(names, '1'),
      nestedJson(['payload', ...names], '1'),
      nestedJson(['payload', 'credentialSubject', ...names], '1'),
      nestedJson(['payload', '@context', ...names], '"urn:x"'),
      nestedJson(['claims', ...names], '1'),
    ])
    for (const path of [
      `${BATCHES}?issuer=${encodeURIComponent(did)}`,
      `${BATCHES}?templateId=${target.sample.templateId}`,
    ])
      t.is((await post(path, 'application/x-ndjson', rows.join('\n'))).status, 201)
    t.deepEqual(changes(), [])
  },
)

test.serial('a form of such names is a 400, and changes no built-in', async (t) => {
  for (const name of HOSTILE_NAMES) {
    const reply = await target.client.ask({
      method: 'POST',
      path: '/v1/auth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${name}=1&${name}.call=1&grantType=client_credentials`,
    })
    t.is(reply.status, 400, reply.text)
  }
  t.deepEqual(changes(), [])
})

test.serial('after all of it everything goes on as before', async (t) => {
  await ordinary()
  t.deepEqual(changes(), [])
  t.false(Object.isFrozen(Object.prototype), 'nothing was kept from changing: it was not tried')
})
