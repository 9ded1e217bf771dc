import test from 'ava'
import { claimLines, create, errors, until } from '../../support/credentials/batches.ts'
import { createDid } from '../../support/credentials/credentials.ts'
import { createTemplate } from '../../support/credentials/templates.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  did = await createDid(world)
})
test.after.always(() => world?.close())

test('a row whose required claim is empty is refused, and the operator sees how many (D-268)', async (t) => {
  const { id: templateId } = await createTemplate(world, {
    proof_type: 'eddsa-rdfc-2022',
    claim_mappings: { course: { map_from: 'claims.course', required: true }, extra: 'claims.extra' },
  })
  const values = ['C', '', '  ', {}, []]
  const json = claimLines(values.length, (row) => ({ claims: { id: 'did:example:a', course: values[row - 1] } }))
  const cells = 'id,course\ndid:example:a,C\ndid:example:a,\ndid:example:a,   \n'
  for (const [body, posting, refused] of [
    [json, {}, [2, 3, 4, 5]],
    [cells, { type: 'text/csv' }, [2, 3]],
  ] as const) {
    const { id, total } = await create(world, body, { templateId, issuerDid: did }, posting)
    t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 1, failed: refused.length })
    t.deepEqual(
      (await errors(world, id)).map((error) => [error.row, error.field, error.code, error.rule]),
      refused.map((row) => [
        row,
        'claims.course',
        'credential_template.claims_missing',
        'credential_template.claim_required',
      ]),
    )
    const workflow = world.dependencies.temporal.client.workflow.getHandle(
      `${world.first.tenantId}/semantic-credentials/batches/${id}`,
    )
    await workflow.result()
    t.deepEqual((await workflow.describe()).searchAttributes.Summary, [
      `sign batch ${id}: 100 % of ${total} rows, ${refused.length} refused, COMPLETED`,
    ])
  }
})
