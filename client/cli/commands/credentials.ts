import type { Schemas } from '../../index.ts'
import { parseObject, readObject, readText } from '../input.ts'
import { JsonText, jsonOf, memberOf } from '../json.ts'
import { written } from '../patience.ts'
import { type Call, type Command, Usage } from '../usage.ts'
import { isSdJwt, signSdJwt, verifySdJwt } from './sd-jwt.ts'

const FORMATS = ['web-semantic', 'sd-jwt-vc']

const pretty = (value: unknown) => JSON.stringify(value, null, 2)

const fromTemplate = (call: Call, id: string, claims: JsonText) =>
  written(call, (headers) =>
    call.client.post('/v1/credentials/web-semantic/configurations/{id}/sign', {
      params: { path: { id } },
      body: {} as Schemas['TemplateSignIn'],
      bodySerializer: () => jsonOf({ claims, issuer_did: call.text('issuer'), tag: call.text('tag') }),
      headers,
    }),
  )

function asItIs(call: Call, payload: JsonText) {
  const { client, text, is } = call
  if (text('issuer')) throw new Usage('--issuer goes with --template; without it the file names the issuer.')
  // what the file holds, and which proof types there are, is for the platform to judge
  const proofType = text('proof-type') ?? 'eddsa-rdfc-2022'
  return written(call, (headers) =>
    client.post('/v1/credentials/web-semantic/sign', {
      body: {} as Schemas['SignIn'],
      bodySerializer: () => jsonOf({ payload, proofType, revocable: is('revocable'), tag: text('tag') }),
      headers,
    }),
  )
}

/** Signs a W3C credential, or the claims for a template of them. */
async function signW3c(call: Call, content: JsonText): Promise<{ id: string }> {
  const other = ['selectively', 'holder-key', 'issued-as'].find((name) => call.text(name) !== undefined)
  if (other) throw new Usage(`--${other} goes with --format sd-jwt-vc.`)
  const template = call.text('template')
  const signed = await (template ? fromTemplate(call, template, content) : asItIs(call, content))
  await call.output.result(signed, [pretty(signed.credential)])
  return signed
}

export const sign: Command = {
  usage: `sign FILE [--proof-type TYPE] [--revocable] [--tag TAG] [--key KEY], or sign FILE --template ID [--issuer DID] [--tag TAG]
              [--key KEY]; with --format sd-jwt-vc also --issuer DID, --issued-as did|https|x5c, --selectively JSON, --holder-key FILE`,
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
    key: { type: 'string' },
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
    const content = await readObject(name)
    const { id } = await (format === 'sd-jwt-vc' ? signSdJwt : signW3c)(call, content)
    if (!output.json) output.note(`id: ${id}`)
    return 0
  },
}

interface Verdict {
  verified: boolean
  reasons: string[]
  answer: unknown
  /** Who signed, as the document says that was verified. */
  issuer?: unknown
}

function assertNoBinding({ text }: Call): void {
  if (text('nonce') ?? text('audience')) throw new Usage('--nonce and --audience are for an SD-JWT VC.')
}

const isIdentified = (issuer: unknown): issuer is { id: unknown } =>
  typeof issuer === 'object' && issuer !== null && 'id' in issuer

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
  // what has no context is no credential, and may be an answer of a sign operation, which holds one
  const isAnswer = !('@context' in content)
  if (isAnswer && typeof content.encoded === 'string')
    return verdictOf(call, name, JSON.parse(memberOf(name, text, 'encoded').text) as string)
  assertNoBinding(call)
  const payload = isAnswer && 'credential' in content ? memberOf(name, text, 'credential') : new JsonText(text)
  const answer = await client.post('/v1/credentials/web-semantic/verify', {
    body: {} as Schemas['VerifyIn'],
    bodySerializer: () => jsonOf({ payload }),
  })
  const { verified, reason } = answer
  const reasons = reason.map(({ type, message }) => `${type}: ${message}`)
  const { issuer } = JSON.parse(payload.text) as { issuer?: unknown }
  return { verified, answer, reasons, issuer: isIdentified(issuer) ? issuer.id : issuer }
}

export const verify: Command = {
  usage: 'verify FILE [--nonce NONCE --audience NAME]',
  about: `verifies a credential: JSON, or the text of a compact one or of an SD-JWT VC (with --nonce and --audience by its holder
      for you); exit code 1 when it is not verified`,
  options: { nonce: { type: 'string' }, audience: { type: 'string' } },
  words: 1,
  async run(call) {
    const [name = ''] = call.words
    const { verified, reasons, answer, issuer } = await verdictOf(call, name, await readText(name))
    await call.output.result(answer, [verified ? 'verified' : 'not verified', ...reasons])
    if (verified && typeof issuer === 'string' && !call.output.json) call.output.note(`issuer: ${issuer}`)
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
