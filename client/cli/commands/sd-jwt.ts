import type { Schemas } from '../../index.ts'
import { parseJson, readObject } from '../input.ts'
import { JsonText, jsonOf } from '../json.ts'
import { written } from '../patience.ts'
import { type Call, Usage } from '../usage.ts'

/** Of an SD-JWT VC: a JWT, and its disclosures behind tildes. */
export const isSdJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+~/.test(text)

async function holderKeyOf(name: string | undefined): Promise<JsonText | undefined> {
  return name === undefined ? undefined : readObject(name)
}

function selectionOf(option: string | undefined): JsonText | undefined {
  if (option === undefined) return undefined
  parseJson('--selectively', option)
  return new JsonText(option)
}

/** What the file holds, and which members are right, is for the platform to judge. */
async function fromTemplate(call: Call, id: string, claims: JsonText) {
  const { client, text } = call
  const own = { issuer_did: text('issuer'), tag: text('tag'), holder_key: await holderKeyOf(text('holder-key')) }
  return written(call, (headers) =>
    client.post('/v1/credentials/sd-jwt-vc/configurations/{id}/sign', {
      params: { path: { id } },
      body: {} as Schemas['SdJwtTemplateSignIn'],
      bodySerializer: () => jsonOf({ claims, ...own }),
      headers,
    }),
  )
}

async function asItIs(call: Call, payload: JsonText) {
  const { client, text, is } = call
  const own = {
    issuer_did: text('issuer'),
    issued_as: text('issued-as'),
    tag: text('tag'),
    selectively: selectionOf(text('selectively')),
    holder_key: await holderKeyOf(text('holder-key')),
  }
  return written(call, (headers) =>
    client.post('/v1/credentials/sd-jwt-vc/sign', {
      body: {} as Schemas['SdJwtSignIn'],
      bodySerializer: () => jsonOf({ payload, revocable: is('revocable'), ...own }),
      headers,
    }),
  )
}

/** Signs claims with a `vct`, or the claims of a template; prints the credential, or the whole answer as JSON. */
export async function signSdJwt(call: Call, content: JsonText): Promise<{ id: string }> {
  if (call.text('proof-type')) throw new Usage('--proof-type goes with --format web-semantic.')
  const template = call.text('template')
  if (template && (call.text('selectively') || call.text('issued-as')))
    throw new Usage('With --template the template says which claims may be left out, and as whom it is issued.')
  const signed = await (template ? fromTemplate(call, template, content) : asItIs(call, content))
  await call.output.result(signed, [signed.encoded])
  return signed
}

/** The holder's key binding JWT is asked for by a nonce and the name of the verifier, which go together. */
export async function verifySdJwt({ client, text }: Call, payload: string) {
  const [nonce, audience] = [text('nonce'), text('audience')]
  if ((nonce === undefined) !== (audience === undefined)) throw new Usage('--nonce and --audience go together.')
  const binding = nonce !== undefined && audience !== undefined ? { key_binding: { nonce, audience } } : {}
  const answer = await client.post('/v1/credentials/sd-jwt-vc/verify', { body: { payload, ...binding } })
  const { verified, reason, warnings, issuer } = answer
  const reasons = [...reason.map(({ code, message }) => `${code}: ${message}`), ...warnings]
  return { verified, answer, reasons, issuer }
}
