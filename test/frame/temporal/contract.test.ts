import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { scheduledJobs, schedules } from '../../../activities/frame/schedules.ts'
import { workflowStart } from '../../../activities/frame/temporal/contract.ts'
import { type Payload, type WorkflowType, workflows } from '../../../protocol/workflows.ts'
import { queryOf, signalOf, updateOf } from '../../../workflows/contract.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const [tenantId, batchId] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const run = { tenantId, batchId, total: 3 }

type Bundle = typeof import('../../../workflows/index.ts')
type Agreed = { [Type in WorkflowType]: (payload: Payload<Type>) => Promise<unknown> }

test('the bundle has the workflows of the contract and no other one, each taking its payload', (t) => {
  const agrees: Bundle extends Agreed ? (keyof Bundle extends WorkflowType ? true : false) : false = true
  t.true(agrees)
  const index = readFileSync(`${root}/workflows/index.ts`, 'utf8')
  const files = [...index.matchAll(/^export \* from '\.\/([^']+)'$/gm)].map(([, file]) => file)
  const exported = files.flatMap((file) =>
    [...readFileSync(`${root}/workflows/${file}`, 'utf8').matchAll(/^export (?:async function )?(\w+)/gm)].map(
      ([, name]) => name,
    ),
  )
  t.deepEqual(exported.toSorted(), [...Object.keys(workflows), ...Object.keys(schedules)].toSorted())
})

test('the start of a workflow is what its contract makes of the payload', (t) => {
  const did = 'did:web:issuer.example'
  const digest = '3b3ae0aa806d55db2e1656bcc975021dd05b1ae5dd1681a1edd2261e5eba8a4d' // printf %s did:web:issuer.example | sha256sum
  t.deepEqual(workflowStart('signBatch', run, { templateId: tenantId, issuers: [did] }), {
    tenantId,
    area: 'semantic-credentials',
    objectId: batchId,
    objectIds: [tenantId, digest],
    summary: `sign batch ${batchId}: 3 rows`,
    workflowType: 'signBatch',
    workflowId: `${tenantId}/semantic-credentials/batches/${batchId}`,
    payload: run,
  })
  const about = { scope: 'issuer', subject: `did:web:${'a'.repeat(200)}` }
  const { summary, payload } = workflowStart('revokeCredentials', { tenantId, revocationId: batchId }, about)
  t.is(summary, `revoke the credentials of issuer did:web:${'a'.repeat(92)}`)
  t.deepEqual(payload, { tenantId, revocationId: batchId })
})

test('each workflow has an id of its own, and each schedule', (t) => {
  const [didId, revocationId, notificationId] = [batchId, batchId, batchId]
  const ids = [
    workflows.registerWebDid.id({ tenantId, didId }),
    workflows.deleteDid.id({ tenantId, didId }),
    workflows.verifyDomain.id({ tenantId, domainId: batchId, attempt: 1 }),
    workflows.signBatch.id({ tenantId, batchId }),
    workflows.revokeCredentials.id({ tenantId, revocationId }),
    workflows.notifyStatus.id({ tenantId, notificationId }),
    workflows.deliverWebhook.id({ tenantId, webhookId: batchId, eventId: batchId, deliveryId: batchId, round: 0 }),
    workflows.deliverMessage.id({ tenantId, sentId: batchId }),
    workflows.issueOpenIdCredentials.id({ tenantId, sessionId: batchId }),
    workflows.deliverMail.id({ tenantId, mailId: batchId }),
    workflows.expirePresentation.id({ tenantId, presentationId: batchId }),
    workflows.provisionTenant.id({ tenantId, subjectTenantId: batchId }),
    workflows.deleteTenant.id({ tenantId, subjectTenantId: batchId }),
    workflows.erasePerson.id({ tenantId, erasureId: batchId, round: 1 }),
    workflows.exportTenant.id({ tenantId, exportId: batchId }),
    workflows.importTenant.id({ tenantId, importId: batchId }),
    ...Object.values(schedules).map(({ id }) => id),
  ]
  t.is(new Set(ids).size, Object.keys(workflows).length + Object.keys(schedules).length)
  t.deepEqual(
    scheduledJobs().map(({ workflowType, area, id, summary }) => ({
      workflowType,
      area,
      id,
      summary,
    })),
    Object.entries(schedules).map(([workflowType, schedule]) => ({ workflowType, ...schedule })),
  )
})

test('the workflow side has the names of the contract', (t) => {
  t.like(signalOf('signBatch', 'changed'), { type: 'signal', name: 'changed' })
  t.like(queryOf('signBatch', 'progress'), { type: 'query', name: 'progress' })
  t.like(updateOf('verifyDomain', 'lookNow'), { type: 'update', name: 'lookNow' })
})

test('a type of workflow that is not in the contract does not compile, and throws', (t) => {
  // @ts-expect-error no such workflow
  t.throws(() => workflowStart('signBatches', run), { instanceOf: TypeError })
})

test('outside of the frame nobody starts or signals a workflow past the contract', (t) => {
  const past = /\bclient\s*\.\s*(workflow|schedule)\b|\bclient\b[^\n]*=\s*[^\n]*temporal\b|\bstartWorkflow\b/
  const files = globSync('{api,activities}/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('activities/frame/'))
  t.true(files.length > 50)
  t.deepEqual(
    files.filter((path) => past.test(readFileSync(`${root}/${path}`, 'utf8'))),
    [],
  )
  for (const line of ['temporal.client.workflow.start()', 'const { client } = temporal', 'temporal.startWorkflow(x)'])
    t.regex(line, past)
})
