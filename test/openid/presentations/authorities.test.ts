import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { type CborMap, decodeCbor, encodeCbor } from '../../../protocol/cose/cbor.ts'
import { HEADER } from '../../../protocol/cose/sign1.ts'
import { readCertificate } from '../../../protocol/mobile-credentials/certificates.read.ts'
import { makeForeignIaca } from '../../support/credentials/mobile.issuers.ts'
import { DOC_TYPE, NAMESPACE, openMdoc, post, wallet } from '../../support/openid/presenting.ts'
import { identityQuery, openAsking, requestsOf } from '../../support/openid/requests.ts'
import type { World } from '../../support/world.ts'

let world: World
let requests: ReturnType<typeof requestsOf>
test.before(async () => {
  ;({ world, requests } = await openAsking())
})
test.after.always(() => world?.close())

const keyIdOf = (der: Uint8Array): string =>
  Buffer.from(readCertificate(der)?.authorityKeyId ?? '', 'hex').toString('base64url')

/** A device response whose wallet has added certificates to the unprotected header. */
function withCertificates(response: string, more: readonly Uint8Array[]): { response: string; signer: Uint8Array } {
  const top = decodeCbor(Buffer.from(response, 'base64url'), { code: 'test', maxBytes: 1e6 }) as CborMap
  const [document] = top.get('documents') as CborMap[]
  const [, unprotected] = (document?.get('issuerSigned') as CborMap).get('issuerAuth') as [Uint8Array, CborMap]
  const signer = unprotected.get(HEADER.x5chain) as Uint8Array
  unprotected.set(HEADER.x5chain, [signer, ...more])
  return { response: Buffer.from(encodeCbor(top)).toString('base64url'), signer }
}

test('a wallet adds no authority to a mobile credential by certificates of others (OpenID4VP 1.0, section 6.1.1.1)', async (t) => {
  const document = await openMdoc(world)
  const other = (await (await makeForeignIaca()).signer()).certificate
  const answered = async (keyOf: (signer: Uint8Array) => string) => {
    const mdoc = { id: 'licence', format: 'mso_mdoc', meta: { doctype_value: DOC_TYPE } }
    const claims = [{ path: [NAMESPACE, 'family_name'] }]
    const asking = async (key: string) => {
      const authorities = { trusted_authorities: [{ type: 'aki', values: [key] }] }
      const dcqlQuery = { credentials: [{ ...mdoc, claims, ...authorities }] }
      return wallet.readRequest((await requests.create({ dcqlQuery, responseMode: 'direct_post' })).uri)
    }
    const presented = async (key: string) => {
      const request = await asking(key)
      const [[response] = []] = Object.values(await document.present(request, ['family_name']))
      return { request, ...withCertificates(String(response), [other]) }
    }
    const { signer } = await presented('AAAA')
    const { request, response } = await presented(keyOf(signer))
    return post(request.response_uri, { vp_token: JSON.stringify({ licence: [response] }) })
  }
  const own = await answered(keyIdOf)
  t.is(own.status, 200, own.text)
  const added = await answered(() => keyIdOf(other))
  t.is(added.status, 400)
  t.regex(added.text, /trusted_authorities/)
})

test('an x5c that is no chain costs nothing, and is no fault of the server', async (t) => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { certificate } = await (await makeForeignIaca()).signer()
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const of = (x5c: string) => {
    const header = Buffer.from(`{"alg":"ES256","typ":"dc+sd-jwt","x5c":${x5c}}`).toString('base64url')
    const claims = { vct: 'https://credentials.example/identity', cnf: { jwk: publicKey.export({ format: 'jwk' }) } }
    return `${header}.${encoded(claims)}.AAAA~${encoded({ alg: 'ES256', typ: 'kb+jwt' })}.${encoded({})}.AAAA`
  }
  const many = JSON.stringify(Array.from({ length: 400 }, () => Buffer.from(certificate).toString('base64')))
  for (const [x5c, most] of [
    ['[{"toString":1}]', 1_000],
    [`[${'null,'.repeat(50)}null]`, 1_000],
    [many, 250],
  ] as const) {
    const { uri } = await requests.create({ dcqlQuery: identityQuery(), responseMode: 'direct_post' })
    const request = await wallet.readRequest(uri)
    const begun = process.cpuUsage()
    const { status, text } = await post(request.response_uri, { vp_token: JSON.stringify({ identity: [of(x5c)] }) })
    t.is(status, 400, text)
    t.regex(text, /IssuerKey|Syntax/)
    const { user } = process.cpuUsage(begun)
    t.true(user < most * 1_000, `${user} µs`)
  }
})
