import { setTimeout as wait } from 'node:timers/promises'
import type { Schemas } from '../../index.ts'
import { openUpload } from '../input.ts'
import { patiently, written } from '../patience.ts'
import { openTarget, type Target } from '../target.ts'
import { type Call, type Command, Usage } from '../usage.ts'

type Batch = Schemas['BatchOut']

const LOOK_MS = 1_000

/** Uploads the file; the platform answers when its last row is stored. */
function upload(call: Call, name: string, content: Blob, templateId: string): Promise<Batch> {
  const { client, text, is } = call
  const lines = is('jsonl') || /\.(jsonl|ndjson)$/i.test(name)
  const issuerDid = text('issuer')
  return written(call, (headers) =>
    client.post('/v1/credentials/batches', {
      params: { query: { templateId, ...(issuerDid ? { issuerDid } : {}) } },
      headers: { 'content-type': lines ? 'application/x-ndjson' : 'text/csv', ...headers },
      body: '',
      bodySerializer: () => content,
    }),
  )
}

const look = (call: Call, id: string): Promise<Batch> =>
  patiently(call, () => call.client.get('/v1/credentials/batches/{id}', { params: { path: { id } } }))

/** Waits until the batch does not go on by itself. */
async function ended(call: Call, begun: Batch): Promise<Batch> {
  const { output } = call
  for (let batch = begun; ; batch = await look(call, begun.id)) {
    const { status, total, signed, failed, eta_seconds: eta } = batch
    output.progress(`${signed} of ${total} signed, ${failed} failed${eta === undefined ? '' : `, ${eta} s left`}`)
    if (status !== 'PROCESSING') {
      output.done()
      return batch
    }
    await wait(LOOK_MS)
  }
}

async function writeResults(call: Call, id: string, target: Target | undefined): Promise<void> {
  const at = { params: { path: { id } }, parseAs: 'stream' } as const
  const results = async () => (await call.client.get('/v1/credentials/batches/{id}/results', at)) ?? []
  if (target) return patiently(call, async () => target.write(await results()))
  for await (const part of await patiently(call, results)) await call.output.raw(part)
}

async function noteErrors(call: Call, id: string): Promise<void> {
  const at = { params: { path: { id } }, parseAs: 'text' } as const
  const lines = await patiently(call, () => call.client.get('/v1/credentials/batches/{id}/errors', at))
  call.output.note(lines.trimEnd())
}

const OF_AN_UPLOAD = ['template', 'issuer', 'jsonl', 'key']

/** The batch that the command line names, or that it makes: asked for when the results have a place to go to. */
async function chosen(call: Call): Promise<() => Promise<Batch>> {
  const [name = ''] = call.words
  const id = call.text('id')
  if ((name === '') === (id === undefined)) throw new Usage('Give the file of a new batch, or --id of one.')
  if (id !== undefined) {
    const other = OF_AN_UPLOAD.find((each) => call.text(each) !== undefined || call.is(each))
    if (other) throw new Usage(`--${other} goes with a file.`)
    return () => look(call, id)
  }
  const templateId = call.text('template')
  if (!templateId) throw new Usage('--template is missing: the template that the rows have claims for.')
  const content = await openUpload(name)
  return () => upload(call, name, content, templateId)
}

export const batch: Command = {
  usage: `batch FILE --template ID [--issuer DID] [--jsonl] [--key KEY] [--out FILE], or batch --id ID [--out FILE]`,
  about: `signs each row of a CSV, or of JSON lines (a file .jsonl, or --jsonl), and prints the credentials as lines; exit code 1 when a
      row failed; with --id of a batch that was uploaded waits for it and prints its credentials`,
  options: {
    id: { type: 'string' },
    template: { type: 'string' },
    issuer: { type: 'string' },
    jsonl: { type: 'boolean' },
    key: { type: 'string' },
    out: { type: 'string' },
  },
  words: 1,
  least: 0,
  async run(call) {
    const begin = await chosen(call)
    const out = call.text('out')
    const target = out === undefined ? undefined : await openTarget(out)
    const begun = await begin()
    call.output.note(`batch: ${begun.id}`)
    const { id, status, signed, failed, paused } = await ended(call, begun)
    await writeResults(call, id, target)
    if (failed > 0) await noteErrors(call, id)
    if (status !== 'COMPLETED') call.output.note(`The batch is ${status}${paused ? `: ${paused.message}` : '.'}`)
    call.output.note(`${signed} signed, ${failed} failed`)
    return status === 'COMPLETED' && failed === 0 ? 0 : 1
  },
}
