import { type FieldErrors, ValidationService } from '@tsoa/runtime'
import test from 'ava'
import { openWorld, type World } from '../../support/world.ts'
import '../../../api/frame/validation.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const IDS = { dataType: 'refAlias', type: { dataType: 'string', validators: { pattern: { value: '^a$' } } } } as const
const NODES = {
  dataType: 'refObject',
  properties: { id: { dataType: 'string', required: true } },
  additionalProperties: false,
} as const

const service = new ValidationService(
  { Id: IDS, Node: NODES },
  { noImplicitAdditionalProperties: 'throw-on-extras', bodyCoercion: false },
)

const errorsOf = (ref: string, value: unknown[]) => {
  const errors: FieldErrors = {}
  const schema = { dataType: 'array', array: { dataType: 'refAlias', ref } } as const
  const valid = service.ValidateParam(schema, value, 'list', errors, true)
  return { valid, errors: Object.keys(errors) }
}

test('a value of the wrong type is refused with what was expected', async (t) => {
  const body = { method: 7, options: [], metadata: 'x' }
  const reply = await world.ask('/v1/dids', { token: world.token, body })
  t.is(reply.status, 400)
  const { errors } = reply.json<{ errors: { path: string; message: string }[] }>()
  const messages = Object.fromEntries(errors.map(({ path, message }) => [path, message]))
  t.is(messages.options, 'expected an object')
  for (const message of Object.values(messages)) t.notRegex(message, /invalid|should be|required unique|^min|^max/)
})

const many = <Value>(value: Value) => Array.from({ length: 20_000 }, () => value)

test('a list is validated up to its first 50 wrong values: the time does not grow with the square of its length', (t) => {
  const { valid, errors } = errorsOf('Id', many('x'))
  t.is(valid, undefined)
  t.deepEqual([errors.length, errors[0], errors[49]], [50, 'list.$0', 'list.$49'])
  t.is(errorsOf('Node', many({})).errors.length, 50)
  t.is(errorsOf('Node', many({ x: 1, y: 1 })).errors.length, 51, 'the last object has three errors')
})

test('all of a list is validated while there are fewer errors', (t) => {
  t.deepEqual(errorsOf('Id', [...many('a'), 'x']), { valid: undefined, errors: ['list.$20000'] })
  t.deepEqual(errorsOf('Id', many('a')), { valid: many('a'), errors: [] })
})

test('a request with 19,000 wrong ids is refused with the first 50 errors, and holds nobody up', async (t) => {
  const body = {
    categories: ['credential-web-semantic'],
    types: [],
    ids: Array.from({ length: 19_000 }, () => 'x'),
    requestIds: [],
    objectIds: [],
  }
  const begun = performance.now()
  const [reply] = await Promise.all([
    world.ask('/v1/analytics/events', { token: world.token, body }),
    world.ask('/health/live'),
  ])
  t.is(reply.status, 400)
  const { errors } = reply.json<{ errors: { path: string; code: string }[] }>()
  t.deepEqual([errors.length, errors[0]?.code, errors[0]?.path], [50, 'schema', 'ids.0'])
  t.true(performance.now() - begun < 5_000) // it was 15 s
})
