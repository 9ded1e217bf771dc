import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { idempotencyKey, type Schemas } from '../../index.ts'
import { openUpload } from '../input.ts'
import { type Call, type Command, Usage } from '../usage.ts'

type Batch = Schemas['BatchOut']

const LOOK_MS = 1_000

/** Uploads the file; the platform answers when its last row is stored. */
async function upload({ client, text, is, words: [name = ''] }: Call): Promise<Batch> {
  const lines = is('jsonl') || /\.(jsonl|ndjson)$/i.test(name)
  const [templateId, issuerDid] = [text('template'), text('issuer')]
  if (!templateId) throw new Usage('--template is missing: the template that the rows have claims for.')
  const content = await openUpload(name)
  return client.post('/v1/credentials/batches', {
    params: { query: { templateId, ...(issuerDid ? { issuerDid } : {}) } },
    headers: { 'content-type': lines ? 'application/x-ndjson' : 'text/csv', ...idempotencyKey() },
    body: '',
    bodySerializer: () => content,
  })
}

/** Waits until the batch does not go on by itself. */
async function ended({ client, output }: Call, begun: Batch): Promise<Batch> {
  const at = { params: { path: { id: begun.id } } }
  for (let batch = begun; ; batch = await client.get('/v1/credentials/batches/{id}', at)) {
    const { status, total, signed, failed, eta_seconds: eta } = batch
    output.progress(`${signed} of ${total} signed, ${failed} failed${eta === undefined ? '' : `, ${eta} s left`}`)
    if (status !== 'PROCESSING') {
      output.done()
      return batch
    }
    await wait(LOOK_MS)
  }
}

async function writeResults({ client, output, text }: Call, id: string): Promise<void> {
  const at = { params: { path: { id } }, parseAs: 'stream' } as const
  const parts = await client.get('/v1/credentials/batches/{id}/results', at)
  const name = text('out')
  const file = name === undefined ? undefined : createWriteStream(name, { mode: 0o600 })
  for await (const part of parts ?? [])
    if (!file) await output.raw(part)
    else if (!file.write(part)) await once(file, 'drain')
  if (!file) return
  file.end()
  await once(file, 'finish')
}

async function noteErrors({ client, output }: Call, id: string): Promise<void> {
  const at = { params: { path: { id } }, parseAs: 'text' } as const
  const lines = await client.get('/v1/credentials/batches/{id}/errors', at)
  output.note(lines.trimEnd())
}

export const batch: Command = {
  usage: 'batch FILE --template ID [--issuer DID] [--jsonl] [--out FILE]',
  about: `signs each row of a CSV, or of JSON lines (a file .jsonl, or --jsonl), and prints the credentials as lines; exit code 1 when a
      row failed`,
  options: {
    template: { type: 'string' },
    issuer: { type: 'string' },
    jsonl: { type: 'boolean' },
    out: { type: 'string' },
  },
  words: 1,
  async run(call) {
    const begun = await upload(call)
    call.output.note(`batch: ${begun.id}`)
    const { id, status, signed, failed, paused } = await ended(call, begun)
    await writeResults(call, id)
    if (failed > 0) await noteErrors(call, id)
    if (status !== 'COMPLETED') call.output.note(`The batch is ${status}${paused ? `: ${paused.message}` : '.'}`)
    call.output.note(`${signed} signed, ${failed} failed`)
    return status === 'COMPLETED' && failed === 0 ? 0 : 1
  },
}
