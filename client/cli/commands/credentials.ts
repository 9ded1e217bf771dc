import { idempotencyKey, type Schemas } from '../../index.ts'
import { parseObject, readText } from '../input.ts'
import type { Call, Command } from '../usage.ts'
import { Usage } from '../usage.ts'

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

async function fromTemplate({ client, text, is }: Call, id: string, claims: Record<string, unknown>) {
  if (is('revocable') || text('proof-type'))
    throw new Usage('With --template the template says whether the credential is revocable, and its proof type.')
  const [issuer, tag] = [text('issuer'), text('tag')]
  const body = { claims, ...(issuer ? { issuer_did: issuer } : {}), ...(tag ? { tag } : {}) }
  const path = { id }
  return client.post('/v1/credentials/web-semantic/configurations/{id}/sign', {
    params: { path },
    body: body as Schemas['TemplateSignIn'],
    headers: idempotencyKey(),
  })
}

async function asItIs({ client, text, is }: Call, payload: Record<string, unknown>) {
  if (text('issuer')) throw new Usage('--issuer goes with --template; without it the file names the issuer.')
  const tag = text('tag')
  // what the file holds, and which proof types there are, is for the platform to judge
  const body = {
    payload,
    proofType: text('proof-type') ?? 'eddsa-rdfc-2022',
    revocable: is('revocable'),
    ...(tag ? { tag } : {}),
  }
  return client.post('/v1/credentials/web-semantic/sign', {
    body: body as Schemas['SignIn'],
    headers: idempotencyKey(),
  })
}

export const sign: Command = {
  usage:
    'sign FILE [--proof-type TYPE] [--revocable] [--tag TAG], or sign FILE --template ID [--issuer DID] [--tag TAG]',
  about: 'signs the credential, or the claims, of a JSON file, and prints the credential',
  options: {
    template: { type: 'string' },
    issuer: { type: 'string' },
    'proof-type': { type: 'string' },
    tag: { type: 'string' },
    revocable: { type: 'boolean' },
  },
  words: 1,
  async run(call) {
    const [name = ''] = call.words
    const content = parseObject(name, await readText(name))
    const template = call.text('template')
    const signed = await (template ? fromTemplate(call, template, content) : asItIs(call, content))
    await call.output.result(signed, [pretty(signed.credential)])
    if (!call.output.json) call.output.note(`id: ${signed.id}`)
    return 0
  },
}

interface Verdict {
  verified: boolean
  reasons: string[]
  answer: unknown
}

async function verdictOf({ client }: Call, name: string, text: string): Promise<Verdict> {
  const encoded = text.trim()
  const kind = encoded.startsWith('CSC:/') ? 'compact' : encoded.startsWith('CSS:/') ? 'compact-semantic' : undefined
  if (kind) {
    const answer = await client.post(`/v1/credentials/${kind}/verify`, { body: { payload: encoded } })
    const { verified, error } = answer
    return { verified, answer, reasons: error ? [`${error.type}: ${error.message}`] : [] }
  }
  const content = parseObject(name, text)
  // an answer of the sign operation holds the credential
  const payload = (content.credential ?? content) as Schemas['VerifiableCredential']
  const answer = await client.post('/v1/credentials/web-semantic/verify', { body: { payload } })
  const { verified, reason } = answer
  return { verified, answer, reasons: reason.map(({ type, message }) => `${type}: ${message}`) }
}

export const verify: Command = {
  usage: 'verify FILE',
  about: 'verifies a credential: JSON, or the text of a compact one; exit code 1 when it is not verified',
  words: 1,
  async run(call) {
    const [name = ''] = call.words
    const { verified, reasons, answer } = await verdictOf(call, name, await readText(name))
    await call.output.result(answer, [verified ? 'verified' : 'not verified', ...reasons])
    return verified ? 0 : 1
  },
}

export const status: Command = {
  usage: 'status ID',
  about: 'prints the state of a credential of any format: active, suspended, revoked, expired',
  words: 1,
  async run({ client, output, words: [id = ''] }) {
    const found = await client.get('/v1/credentials/{id}', { params: { path: { id } } })
    const { state, format, issuer, issuance_date } = found
    await output.result(found, [`${state}  ${format}  issued ${issuance_date} by ${issuer ?? 'an issuer certificate'}`])
    return 0
  },
}
