import test from 'ava'
import { blocksOf, isKept, type } from './support/docs.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld({ workflows: true })
})
test.after.always(() => world?.close())

/** The quick tour's shorthands and its DID, then a document's own commands. */
async function typed(name: string) {
  const [shorthands, did] = await blocksOf('README.md', 'Quick tour')
  if (!shorthands || !did) throw new Error('the quick tour does not begin as it did')
  return (await type(world, [shorthands, did, ...(await blocksOf(name))])).slice(2)
}

test.serial('docs/credentials.md works word for word', async (t) => {
  const kept = (await typed('docs/credentials.md')).filter(({ promised }) => promised !== undefined)
  for (const promise of kept) t.true(isKept(promise), `${promise.code}\n${promise.printed}`)
  t.is(kept.length, 7)
})

const linesOf = (printed: string) =>
  printed
    .replaceAll('}{', '}\n{')
    .split('\n')
    .map((line) => JSON.parse(line))

test.serial('docs/batches.md works word for word: every row is signed, from columns and from a template', async (t) => {
  const [columns, template] = await typed('docs/batches.md')
  const [batch, ...results] = linesOf(columns?.printed ?? '')
  t.like(batch, { status: 'COMPLETED', total: 2, signed: 2, failed: 0 })
  const grace = { id: 'did:example:grace', course: 'CS-102', score: 1 }
  t.is(results.length, 2)
  t.deepEqual(results[1].credential.credentialSubject, { ...grace, address: { city: 'New York' } })
  const claims = linesOf(template?.printed ?? '')
  t.is(claims.length, 2)
  t.deepEqual(claims[1].credential.credentialSubject, grace)
})
