import { X509Certificate } from 'node:crypto'
import test from 'ava'
import { MOBILE_SIGN_EXAMPLE } from '../../api/mobile-credentials/answers.ts'
import { type CborMap, decodeCbor, encodeCbor } from '../../protocol/cose/cbor.ts'
import { HEADER } from '../../protocol/cose/sign1.ts'
import { readCertificate } from '../../protocol/mobile-credentials/certificates.read.ts'
import { toPem } from '../../protocol/mobile-credentials/certificates.ts'
import { MDOC } from '../../protocol/mobile-credentials/read.ts'
import { makeForeignIaca, otherForm } from '../support/credentials/mobile.issuers.ts'
import { IACAS, type Iaca, makeIaca, makeSigner, SIGNERS, signMobile } from '../support/credentials/mobile.ts'
import type { Reply } from '../support/world.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const newTenant = async () => world.tokenOf(await world.addTenant())

/** The verdict on a credential, as types of reasons. */
async function verdictOn(payload: string, token: string): Promise<string[]> {
  const reply = await world.ask('/v1/credentials/mobile/verify', { token, body: { payload } })
  const { verified, reason } = reply.json<{ verified: boolean; reason: { type: string }[] }>()
  return verified ? ['verified'] : reason.map(({ type }) => type)
}

const codeOf = ({ status, text }: Reply) => [status, (JSON.parse(text) as { type: string }).type.split('#')[1]]

/** The credential with another x5chain, which no signature covers. */
function withChain(encoded: string, change: (certificate: Uint8Array) => Uint8Array | Uint8Array[]): string {
  const mdoc = decodeCbor(Buffer.from(encoded, 'base64url'), MDOC) as CborMap
  const [header, unprotected, ...rest] = mdoc.get('issuerAuth') as [Uint8Array, CborMap, Uint8Array, Uint8Array]
  const chain = change(unprotected.get(HEADER.x5chain) as Uint8Array)
  const issuerAuth = [header, new Map([[HEADER.x5chain, chain]]), ...rest]
  return Buffer.from(encodeCbor(new Map([...mdoc, ['issuerAuth', issuerAuth]]))).toString('base64url')
}

test('a revoked document signer stays revoked in every form of its certificate (D-327)', async (t) => {
  const token = await newTenant()
  await makeIaca(world, {}, token)
  const { id } = await makeSigner(world, { active: true }, token)
  const { mobileEncoded } = await signMobile(world, token)
  const forms = [
    mobileEncoded,
    withChain(mobileEncoded, otherForm),
    withChain(mobileEncoded, (certificate) => [otherForm(certificate), certificate]),
  ]
  for (const form of forms) t.deepEqual(await verdictOn(form, token), ['verified'])
  t.is((await world.ask(`${SIGNERS}/${id}/revoke`, { method: 'POST', token })).status, 200)
  for (const form of forms) t.deepEqual(await verdictOn(form, token), ['CertificateRevoked'])
})

test('bytes that are not the DER of one certificate are no certificate', async (t) => {
  const { certificate } = await makeForeignIaca()
  t.truthy(readCertificate(certificate))
  t.truthy(readCertificate(otherForm(certificate)))
  t.is(readCertificate(Uint8Array.of(...certificate, 0)), undefined)
  const [tag, , high, low, ...rest] = certificate
  t.is(readCertificate(Uint8Array.of(tag ?? 0, 0x83, 0, high ?? 0, low ?? 0, ...rest)), undefined)
  t.is(readCertificate(Uint8Array.of(tag ?? 0, 0x80, ...rest, 0, 0)), undefined)
})

test('an IACA is imported once, whatever form its certificate has', async (t) => {
  const token = await newTenant()
  const { certificate, certificatePem } = await makeForeignIaca()
  const take = (pem: string) => world.ask(IACAS, { token, body: { certificatePem: pem } })
  t.is((await take(certificatePem)).status, 201)
  t.deepEqual(codeOf(await take(certificatePem)), [409, 'iaca.taken'])
  t.deepEqual(codeOf(await take(toPem('CERTIFICATE', otherForm(certificate)))), [409, 'iaca.taken'])
})

/** A tenant with a document signer of an imported IACA. */
async function imported() {
  const token = await newTenant()
  const iaca = await makeForeignIaca()
  const { certificatePem } = iaca
  const { id: iacaId } = (await world.ask(IACAS, { token, body: { certificatePem } })).json<Iaca>()
  const signer = await makeSigner(world, { iacaId }, token)
  const { publicKey } = (await world.ask(`${SIGNERS}/${signer.id}`, { token })).json<{
    publicKey: { x?: string; y?: string }
  }>()
  const [x, y] = [publicKey.x, publicKey.y].map((text = '') => Buffer.from(text, 'base64url'))
  const point = Uint8Array.of(((y?.at(-1) ?? 0) & 1) + 2, ...(x ?? []))
  const newPem = async () => toPem('CERTIFICATE', await iaca.certify(point))
  const put = (body: object) => world.ask(`${SIGNERS}/${signer.id}`, { method: 'PUT', token, body })
  const sign = async () => (await signMobile(world, token, { ...MOBILE_SIGN_EXAMPLE })).mobileEncoded
  const revoke = () => world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token })
  return { token, iaca, iacaId, id: signer.id, newPem, put, sign, revoke }
}

test('status lists stay those of an authority whose certificate was renewed: it is its key (D-327, D-644)', async (t) => {
  const { token, iaca, newPem, put } = await imported()
  t.is((await put({ active: true, certificatePem: await newPem() })).status, 200)
  const { mobileId, mobileEncoded } = await signMobile(world, token, { ...MOBILE_SIGN_EXAMPLE, revocable: true })
  t.deepEqual(await verdictOn(mobileEncoded, token), ['verified'])
  const certificatePem = toPem('CERTIFICATE', await iaca.renewed())
  t.is((await world.ask(IACAS, { token, body: { certificatePem } })).status, 201)
  t.deepEqual(await verdictOn(mobileEncoded, token), ['verified'])
  const body = { isRevoked: true }
  t.is((await world.ask(`/v1/credentials/mobile/${mobileId}/revocation-status`, { token, body })).status, 200)
  t.deepEqual(await verdictOn(mobileEncoded, token), ['Revoked'])
})

test('a revoked signer takes no new certificate, and stays revoked', async (t) => {
  const { token, newPem, put, sign, revoke } = await imported()
  t.is((await put({ active: true, certificatePem: await newPem() })).status, 200)
  const credential = await sign()
  t.is((await revoke()).status, 200)
  t.deepEqual(codeOf(await put({ certificatePem: await newPem() })), [409, 'document_signer.not_usable'])
  t.deepEqual(await verdictOn(credential, token), ['CertificateRevoked'])
})

test('a new certificate of an expired signer needs room, as a new signer does (D-1186)', async (t) => {
  const { token, iacaId, id, newPem, put } = await imported()
  t.is((await put({ active: true, certificatePem: await newPem() })).status, 200)
  const expire = () =>
    world.dependencies.systemSql.query({
      text: `update mobile_document_signers set not_after = now() - interval '1 day' where id = $1`,
      values: [id],
    })
  await expire()
  const others: string[] = []
  while (others.length < 5) others.push((await makeSigner(world, { iacaId }, token)).id)
  const refused = [409, 'document_signer.too_many']
  t.deepEqual(codeOf(await put({ certificatePem: await newPem() })), refused)
  t.is((await world.ask(`${SIGNERS}/${others[0]}`, { method: 'DELETE', token })).status, 204)
  t.is((await put({ certificatePem: await newPem() })).status, 200)
  t.is((await put({ certificatePem: await newPem() })).status, 200, 'it counts already')
})

test('an IACA is not deleted while its list names certificates that have not expired (D-1182)', async (t) => {
  const token = await newTenant()
  const iaca = await makeIaca(world, {}, token)
  const { id } = await makeSigner(world, { active: true }, token)
  await world.ask(`${SIGNERS}/${id}/revoke`, { method: 'POST', token })
  const remove = (path: string) => world.ask(path, { method: 'DELETE', token })
  t.is((await remove(`${SIGNERS}/${id}`)).status, 204)
  t.deepEqual(codeOf(await remove(`${IACAS}/${iaca.id}`)), [409, 'iaca.in_use'])
  await world.dependencies.systemSql.query({
    text: `update mobile_document_signers set not_after = now() - interval '1 day' where id = $1`,
    values: [id],
  })
  t.is((await remove(`${IACAS}/${iaca.id}`)).status, 204)
  const foreign = await imported()
  t.is((await foreign.put({ active: true, certificatePem: await foreign.newPem() })).status, 200)
  await foreign.revoke()
  await world.ask(`${SIGNERS}/${foreign.id}`, { method: 'DELETE', token: foreign.token })
  const gone = await world.ask(`${IACAS}/${foreign.iacaId}`, { method: 'DELETE', token: foreign.token })
  t.is(gone.status, 204, 'another authority signs its list')
})

test('a revocation takes the earlier certificates of the key as well', async (t) => {
  const { token, newPem, put, sign, revoke } = await imported()
  await put({ active: true, certificatePem: await newPem() })
  const first = await sign()
  const replaced = await put({ certificatePem: await newPem() })
  t.is(replaced.status, 200)
  const second = await sign()
  const serialOf = (encoded: string): string => {
    let serial = ''
    withChain(encoded, (certificate) => {
      serial = new X509Certificate(certificate).serialNumber
      return certificate
    })
    return serial
  }
  t.not(serialOf(first), serialOf(second))
  for (const each of [first, second]) t.deepEqual(await verdictOn(each, token), ['verified'])
  await revoke()
  for (const each of [first, second]) t.deepEqual(await verdictOn(each, token), ['CertificateRevoked'])
})
