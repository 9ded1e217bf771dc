import test, { type ExecutionContext } from 'ava'
import { placesIn, withText } from '../../../support/frame/hostile.bodies.ts'
import { openTarget, type Target } from '../../../support/frame/hostile.ts'
import { bodySchema, operations, parametersIn } from '../../../support/frame/openapi.ts'

let target: Target
test.before(async () => {
  target = await openTarget()
})
test.after.always(() => target?.close())

/** Names and indexes joined by dots, other names in brackets as JSON, from the root of the body (D-251). */
const STYLE = /^(?:(?:[^.[\]"\\\s]+|\["(?:[^"\\]|\\.)*"\])(?:\.[^.[\]"\\\s]+|\["(?:[^"\\]|\\.)*"\])*)?$/

/** What is wrong with a path; undefined when nothing is. */
function faultOf(path: string): string | undefined {
  if (!STYLE.test(path)) return 'no dotted path'
  if (path.startsWith('/')) return 'a JSON pointer'
  if (/^(body|requestBody)(\.|$)/.test(path)) return 'where the value stands'
  return /\$\d/.test(path) ? 'an index of the generated validation' : undefined
}

const paths = new Set<string>()
let refusals = 0

function look(t: ExecutionContext, { status, text }: { status: number; text: string }, what: string) {
  if (status < 400 || status > 499) return
  const { errors = [] } = JSON.parse(text) as { errors?: { path: string }[] }
  refusals++
  for (const { path } of errors) {
    paths.add(path)
    t.is(faultOf(path), undefined, `${path} of ${what}`)
  }
}

/** In place of a value of any type. */
const REPLACEMENTS = ['null', '7', '"x y"', '[]', '{}', '{"a.b":[1e400]}', '["x",7]', '{"https://a.example/x y":null}']
const MAX_PLACES = 40

for (const operation of operations.filter((each) => bodySchema(each)))
  test.serial(`${operation.operationId}: every path in its refusals has one style (D-251)`, async (t) => {
    const body = target.exampleBody(operation)
    look(t, await target.attack(operation, { body: '{}' }), '{}')
    look(t, await target.attack(operation, { body: '{"a.b":1,"a.b":2}' }), 'a repeated name')
    for (const { path } of placesIn(body).slice(0, MAX_PLACES))
      for (const replacement of REPLACEMENTS)
        look(t, await target.attack(operation, { body: withText(body, path, replacement) }), `${path} ${replacement}`)
    t.pass()
  })

test.serial('parameters of the query are named as they are, by the same rule', async (t) => {
  for (const operation of operations.filter((each) => parametersIn(each, 'query').includes('limit')))
    for (const query of ['limit=x', 'page=-1', 'limit[]=1', 'limit.x=1', 'no%20such=1'])
      look(t, await target.attack(operation, { path: `${target.pathOf(operation)}?${query}` }), query)
  t.true(paths.has('limit'))
})

test.serial('the refusals were many, of bodies and of the documents in them', (t) => {
  t.true(refusals > 1_000, String(refusals))
  t.true(paths.size > 100, String(paths.size))
  for (const path of ['', 'payload', 'payload.issuer', 'credential.issuer', 'options.keyType', '["a.b"]'])
    t.true(paths.has(path), `${path} is not among ${[...paths].sort().slice(0, 300).join(' ')}`)
})
