import test from 'ava'
import { EXAMPLES } from './support/frame/examples/index.ts'
import { openTarget, type Target } from './support/frame/hostile.ts'
import { bodySchema, operations, parametersIn, type Schema } from './support/frame/openapi.ts'
import { DEPARTURES } from './support/frame/specification/departures.ts'
import { ROWS, TABLES } from './support/frame/specification/index.ts'
import type { Row } from './support/frame/specification/rows.ts'
import { absentIn, wrongInAnswer, wrongInRequest } from './support/frame/specification/shapes.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

const operationOf = ({ operationId }: Row) => operations.find((each) => each.operationId === operationId)

/** The differences that are not meant; and those that are meant, and not there. */
function unmeant(operationId: string, found: string[]): string[] {
  const meant = Object.keys(DEPARTURES[operationId] ?? {})
  return [
    ...found.filter((difference) => !meant.includes(difference)),
    ...meant.filter((difference) => !found.includes(difference)).map((difference) => `no longer: ${difference}`),
  ]
}

const differences = (row: Row): string[] => {
  const operation = operationOf(row)
  if (!operation) return ['not in the document']
  const answer = Object.values(operation.responses[String(row.status)]?.content ?? {})[0]?.schema as Schema | undefined
  const queries = parametersIn(operation, 'query')
  const statuses = [row.status, ...(row.also ?? [])]
  return [
    ...(row.query ?? '')
      .split(' ')
      .filter((name) => name !== '' && !queries.includes(name))
      .map((name) => `query ${name} is missing`),
    ...statuses.filter((status) => !operation.responses[String(status)]).map((status) => `no ${status}`),
    ...wrongInRequest(bodySchema(operation), row.body ?? '').map((what) => `body: ${what}`),
    ...(row.answer ? wrongInAnswer(answer, row.answer).map((what) => `answer: ${what}`) : []),
  ]
}

for (const row of ROWS) {
  const { operationId, method, path, status, answer } = row
  test.serial(`${operationId} is ${method} ${path}, with the members and statuses of the specification`, (t) => {
    const operation = operationOf(row)
    t.deepEqual([operation?.method, operation?.path], [method, path])
    t.deepEqual(unmeant(operationId, differences(row)), [])
  })

  test.serial(`${operationId} answers ${status}, with the members of the specification`, async (t) => {
    const operation = operationOf(row)
    if (!operation) return t.fail('not in the document')
    const body = bodySchema(operation) && JSON.stringify(target.exampleBody(operation))
    const reply = await target.attack(operation, { body })
    // what needs a wallet, a person or a server of somebody else answers a refusal here, and is tested with those
    const expected = EXAMPLES[operationId]?.answers ?? status
    t.is(reply.status, expected, reply.text)
    if (expected !== status || answer === undefined) return
    const given = JSON.parse(reply.text) as unknown
    if (answer === '') t.deepEqual(given, {})
    else t.deepEqual(absentIn(given, answer), [])
    t.true(reply.headers['content-type']?.startsWith('application/json'))
  })
}

test('each table of the specification has all of its operations, each once', (t) => {
  for (const [table, rows, count] of TABLES) t.is(rows.length, count, table)
  const names = ROWS.map(({ operationId }) => operationId)
  t.deepEqual(names.length, new Set(names).size)
  const places = ROWS.map(({ method, path }) => `${method} ${path}`)
  t.deepEqual(places.length, new Set(places).size)
})

test('each meant difference is of a row, and names its decision', (t) => {
  const ids = ROWS.map(({ operationId }) => operationId)
  for (const [id, reasons] of Object.entries(DEPARTURES)) {
    t.true(ids.includes(id), id)
    for (const reason of Object.values(reasons)) t.regex(reason, /\bD-\d+\b/, id)
  }
})

test('a member that is missing, in another casing or not required is found', (t) => {
  const schema: Schema = {
    type: 'object',
    additionalProperties: false,
    required: ['a'],
    properties: {
      a: { type: 'string' },
      b: { type: 'string' },
      c: { type: 'array', items: { $ref: '#/components/schemas/Problem' } },
    },
  }
  t.deepEqual(wrongInRequest(schema, 'a b?'), [])
  t.deepEqual(wrongInRequest(schema, 'A b a? b^'), [
    'A is missing',
    'b is not required',
    'a is required',
    'b is not nullable',
  ])
  t.deepEqual(wrongInAnswer(schema, 'a b c? c[].status c[].state'), ['b is not always there', 'c[].state is missing'])
  t.deepEqual(absentIn({ a: 1, c: [{ status: 1 }] }, 'a b c c[].status c[].title d.e'), ['b', 'c[].title'])
})
