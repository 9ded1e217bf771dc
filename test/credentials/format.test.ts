import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import type { CredentialFormat } from '../../activities/credentials/format.ts'
import { jsonOf } from '../../activities/credentials/read.ts'
import type { SignedRow } from '../../activities/credentials/record.ts'
import { refuseIssuer } from '../../activities/credentials/refusals.ts'
import { createPlatform, type FormatParts, type Platform } from '../../activities/index.ts'
import type { RowInput } from '../../protocol/credentials/batches.ts'
import { FORMAT_NAMES } from '../../protocol/credentials/formats.ts'
import type { Json } from '../../protocol/data-integrity/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { statusEntry } from '../../protocol/status-list/credential.ts'
import { readStatusEntry } from '../../protocol/status-list/entry.ts'
import { decodeList, getBit } from '../../protocol/status-list/index.ts'
import { linesOf, type Result } from '../support/credentials/batches.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { openWorld, type World } from '../support/world.ts'

interface Note {
  issuer: string
  holder: string
  text?: unknown
}

type SignedNote = SignedRow & { document: Json }

/** A throw-away format: a note to a holder, with the entries of its status. */
function noteFormat({
  signers,
  entries,
  config,
  semantic: { statusKinds },
}: FormatParts): CredentialFormat<Note, SignedNote> {
  const [kind, proofType] = ['BitstringStatusList', 'eddsa-rdfc-2022'] as const
  async function sign(tenantId: string, id: string, { issuer, holder, text }: Note) {
    if (typeof text !== 'string') throw new Refusal('note.empty', 'A note says something.')
    const { did, didId } = await signers.signerOf(tenantId, issuer, refuseIssuer('issuer'))
    const owner = { tenantId, issuerId: didId, kind, proofType }
    const entry = await entries.take({ ...owner, purpose: 'revocation' })
    const second = await entries.take({ ...owner, purpose: 'suspension' })
    const listUrl = `${config.publicUrl.origin}/v1/revocation-lists/${entry.listId}`
    const status = statusEntry({ kind, listUrl, index: entry.index, purpose: 'revocation' })
    const about = { id, format: 'compact' as const, didId, issuer: did, proofType, tag: 'note', types: ['Note'] }
    const dates = { issuanceDate: new Date().toISOString(), expirationDate: null }
    const first = { statusListId: entry.listId, statusIndex: entry.index }
    const document = { text, credentialSubject: { id: holder }, credentialStatus: status }
    return { ...about, ...dates, ...first, suspensionListId: second.listId, suspensionIndex: second.index, document }
  }
  return {
    name: 'compact',
    statusKinds,
    sign,
    show: (credential) => ({
      subjects: [(jsonOf(credential).credentialSubject as { id: string }).id],
      statusEntry: readStatusEntry(jsonOf(credential).credentialStatus),
    }),
    batches: {
      settle: async (_tenantId, { options }) => ({ options }),
      issuerOf: (_input, { issuer }) => issuer,
      signRow: (tenantId, id, input, { options }) => sign(tenantId, id, noteOf(input, options.issuer)),
    },
  }
}

const noteOf = (input: RowInput, issuer = ''): Note => ({
  issuer,
  holder: 'did:example:holder',
  ...('payload' in input ? input.payload : input.claims),
})

let world: World
let platform: Platform
let notes: CredentialFormat<Note, SignedNote>
test.before(async () => {
  world = await openWorld({ workflows: true, formats: (parts) => [noteFormat(parts)] })
  platform = createPlatform(world.dependencies, (parts) => {
    notes = noteFormat(parts)
    return [notes]
  })
})
test.after.always(() => world?.close())

const call = () => ({ tenantId: world.first.tenantId, clientId: world.first.clientId, requestId: randomUUID() })

const issue = async (text = 'hello') => {
  const issuer = await createDid(world)
  return { issuer, ...(await platform.issuing.issue(call(), notes, { issuer, holder: 'did:example:holder', text })) }
}

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of pages) found.push(each)
  return found
}

const page = { limit: 10, offset: 0 }

/** Whether an entry is set in the list as everybody reads it. */
async function isSet(listId: string | null | undefined, index: number | null | undefined): Promise<boolean> {
  const reply = await world.ask(`/v1/revocation-lists/${listId}`)
  const { credentialSubject } = reply.json<{ credentialSubject: { encodedList: string } }>()
  return getBit(decodeList(credentialSubject.encodedList), Number(index))
}

test.serial('a new format is issued, listed and read by the engine as it is', async (t) => {
  const { tenantId } = world.first
  const { id, credential, tag } = await issue('to be read')
  t.like(credential, { text: 'to be read' })
  t.is(tag, 'note')
  const { credentials, total } = await platform.credentials.listCredentials(tenantId, 'compact', {
    type: 'Note',
    ...page,
  })
  t.is(credentials.length, total)
  t.true(credentials.some((each) => each.id === id))
  t.like(await platform.credentials.readCredential(tenantId, 'compact', id), {
    tag: 'note',
    types: ['Note'],
    document: credential,
  })
  const refused = await t.throwsAsync(
    platform.issuing.issue(call(), notes, { issuer: 'did:example:nobody', holder: '', text: 'x' }),
  )
  t.like(refused, { code: 'credential.issuer_unknown' })
})

test('a new format is revoked, suspended and published by the engine as it is', async (t) => {
  const { tenantId } = world.first
  const { id } = await issue()
  const row = await platform.credentials.readCredential(tenantId, 'compact', id)
  t.false(await isSet(row.statusListId, row.statusIndex))
  t.false(await isSet(row.suspensionListId, row.suspensionIndex))
  await platform.credentialStatus.setStatus(call(), id, true)
  await platform.credentialStatus.setSuspension(call(), id, true)
  t.deepEqual(await platform.credentialStatus.readStatus(tenantId, id), { isRevoked: true, isSuspended: true })
  t.like(await platform.credentialStatus.readStatusAt(tenantId, id, new Date()), { isValid: false })
  t.is((await platform.credentialStatus.listChanges(tenantId, id, page)).total, 2)
  await until('the published lists', async () => {
    const both = [isSet(row.statusListId, row.statusIndex), isSet(row.suspensionListId, row.suspensionIndex)]
    return (await Promise.all(both)).every(Boolean) || undefined
  })
  t.pass()
})

test('the holders of a new format are notified by the engine as it is', async (t) => {
  const { tenantId } = world.first
  const { id, issuer } = await issue()
  const { statusListId, statusIndex } = await platform.credentials.readCredential(tenantId, 'compact', id)
  await platform.notifications.notifyStatus(call(), id, {})
  const notification = await until('the outcome', async () => {
    const [found] = (await platform.notifications.listNotifications(tenantId, id, page)).notifications
    return found?.state === 'PENDING' ? undefined : found
  })
  t.like(notification, { recipient: 'did:example:holder', sender: issuer, state: 'NO_SERVICE' })
  t.like(notification.message, {
    body: {
      revocationListCredential: `${world.url}/v1/revocation-lists/${statusListId}`,
      revocationListIndex: statusIndex,
      isRevoked: false,
    },
  })
})

test('a new format is batched by the engine as it is, and its batch is revoked', async (t) => {
  const { tenantId } = world.first
  const issuer = await createDid(world)
  async function* rows() {
    for (const text of ['one', 'two', 3, 'four']) yield { input: { payload: { text } } }
  }
  const options = { format: 'compact' as const, issuer, revocable: true, types: [], contexts: [] }
  const digest = () => createHash('sha256').digest()
  const { id, format } = await platform.batchUploads.receive(call(), { source: 'jsonl', options, rows, digest })
  t.is(format, 'compact')
  const ended = await until('the end of the batch', async () => {
    const batch = await platform.batches.readBatch(tenantId, id, FORMAT_NAMES)
    return batch.state === 'COMPLETED' ? batch : undefined
  })
  t.like(ended, { total: 4, signed: 3, failed: 1 })
  const results = linesOf<Result>((await all(platform.batchFiles.results(tenantId, id))).join(''))
  t.deepEqual(
    results.map(({ row, credential }) => [row, credential.text]),
    [
      [1, 'one'],
      [2, 'two'],
      [4, 'four'],
    ],
  )
  const [refused] = (await all(platform.batchFiles.rowErrors(tenantId, id))).flat()
  t.like(refused, { row: 3, code: 'note.empty' })
  const { rows: logged } = await world.dependencies.systemSql.query<{ category: string; type: string }>({
    text: `select category, type from logs where metadata ->> 'id' = $1 and type like '%COMPLETE%'`,
    values: [id],
  })
  t.deepEqual(logged, [{ category: 'credential-compact', type: 'CREDENTIAL_COMPACT_BATCH_COMPLETE_SUCCESS' }])
  await platform.batches.revokeBatch(call(), id, FORMAT_NAMES)
  await until('the revocation', async () => {
    const { revocation } = await platform.batches.readBatch(tenantId, id, FORMAT_NAMES)
    return revocation?.state === 'REVOKED' && revocation.revoked === 3 ? true : undefined
  })
})
