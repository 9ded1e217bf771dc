import { idempotencyKey, type Schemas } from '../../index.ts'
import { parseObject, readText } from '../input.ts'
import type { Call, Command } from '../usage.ts'
import { Usage } from '../usage.ts'
import { isSdJwt, signSdJwt, verifySdJwt } from './sd-jwt.ts'

const FORMATS = ['web-semantic', 'sd-jwt-vc']

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

async function fromTemplate({ client, text }: Call, id: string, claims: Record<string, unknown>) {
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

/** Signs a W3C credential, or the claims for a template of them. */
async function signW3c(call: Call, content: Record<string, unknown>): Promise<{ id: string }> {
  const other = ['selectively', 'holder-key', 'issued-as'].find((name) => call.text(name) !== undefined)
  if (other) throw new Usage(`--${other} goes with --format sd-jwt-vc.`)
  const template = call.text('template')
  const signed = await (template ? fromTemplate(call, template, content) : asItIs(call, content))
  await call.output.result(signed, [pretty(signed.credential)])
  return signed
}

export const sign: Command = {
  usage: `sign FILE [--proof-type TYPE] [--revocable] [--tag TAG], or sign FILE --template ID [--issuer DID] [--tag TAG];
              with --format sd-jwt-vc also --issuer DID, --issued-as did|https|x5c, --selectively JSON, --holder-key FILE`,
  about: 'signs the credential, or the claims, of a JSON file, and prints the credential',
  options: {
    format: { type: 'string' },
    template: { type: 'string' },
    issuer: { type: 'string' },
    'issued-as': { type: 'string' },
    'proof-type': { type: 'string' },
    selectively: { type: 'string' },
    'holder-key': { type: 'string' },
    tag: { type: 'string' },
    revocable: { type: 'boolean' },
  },
  words: 1,
  async run(call) {
    const { text, is, output } = call
    const format = text('format') ?? 'web-semantic'
    if (!FORMATS.includes(format)) throw new Usage(`--format must be ${FORMATS.join(' or ')}, and is ${format}.`)
    if (text('template') && (is('revocable') || text('proof-type')))
      throw new Usage('With --template the template says whether the credential is revocable, and its proof type.')
    const [name = ''] = call.words
    const content = parseObject(name, await readText(name))
    const { id } = await (format === 'sd-jwt-vc' ? signSdJwt : signW3c)(call, content)
    if (!output.json) output.note(`id: ${id}`)
    return 0
  },
}

interface Verdict {
  verified: boolean
  reasons: string[]
  answer: unknown
}

function assertNoBinding({ text }: Call): void {
  if (text('nonce') ?? text('audience')) throw new Usage('--nonce and --audience are for an SD-JWT VC.')
}

async function verdictOf(call: Call, name: string, text: string): Promise<Verdict> {
  const { client } = call
  const encoded = text.trim()
  if (isSdJwt(encoded)) return verifySdJwt(call, encoded)
  const kind = encoded.startsWith('CSC:/') ? 'compact' : encoded.startsWith('CSS:/') ? 'compact-semantic' : undefined
  if (kind) {
    assertNoBinding(call)
    const answer = await client.post(`/v1/credentials/${kind}/verify`, { body: { payload: encoded } })
    const { verified, error } = answer
    return { verified, answer, reasons: error ? [`${error.type}: ${error.message}`] : [] }
  }
  const content = parseObject(name, text)
  // an answer of the sign operation holds the credential
  if (typeof content.encoded === 'string' && !('@context' in content)) return verdictOf(call, name, content.encoded)
  assertNoBinding(call)
  const payload = (content.credential ?? content) as Schemas['VerifiableCredential']
  const answer = await client.post('/v1/credentials/web-semantic/verify', { body: { payload } })
  const { verified, reason } = answer
  return { verified, answer, reasons: reason.map(({ type, message }) => `${type}: ${message}`) }
}

export const verify: Command = {
  usage: 'verify FILE [--nonce NONCE --audience NAME]',
  about: `verifies a credential: JSON, or the text of a compact one or of an SD-JWT VC (with --nonce and --audience by its holder
      for you); exit code 1 when it is not verified`,
  options: { nonce: { type: 'string' }, audience: { type: 'string' } },
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
