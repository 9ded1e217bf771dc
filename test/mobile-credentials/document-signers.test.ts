import { execFile } from 'node:child_process'
import { randomUUID, X509Certificate } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { IACAS, type Iaca, makeIaca, makeSigner, SIGNERS } from '../support/credentials/mobile.ts'
import { rawClient } from '../support/parts/raw.ts'
import { needs } from '../support/parts.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let directory: string
test.before(async () => {
  world = await openWorld()
  directory = await mkdtemp(join(tmpdir(), 'countersign-certificates-'))
})
test.after.always(async () => {
  await world?.close()
  if (directory) await rm(directory, { recursive: true, force: true })
})

const whereOpensslIs = needs('OpenSSL')
const run = promisify(execFile)
const openssl = async (...args: string[]) => (await run('openssl', args, { encoding: 'utf8' })).stdout

const file = async (content: string | Uint8Array): Promise<string> => {
  const path = join(directory, randomUUID())
  await writeFile(path, content)
  return path
}

/** A tenant of the test's own, so that the limit of live signers is too. */
const newTenant = async () => world.tokenOf(await world.addTenant())

const codesOf = (text: string) => {
  const { type, errors = [] } = JSON.parse(text) as { type: string; errors?: { path: string; code: string }[] }
  return [type.split('#')[1], ...errors.map(({ path, code }) => `${path}:${code}`)]
}

const DAY_MS = 86_400_000

/** An authority outside of the platform, made with openssl. */
async function makeAuthority(subject: string, ...extensions: string[]) {
  const key = await file(await openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout'))
  const added = extensions.flatMap((extension) => ['-addext', extension])
  const pem = await openssl('req', '-x509', '-new', '-key', key, '-subj', subject, '-days', '900', ...added)
  return { key, pem, path: await file(pem) }
}

const IACA_EXTENSIONS = ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign,cRLSign']

whereOpensslIs('an IACA has the profile of ISO/IEC 18013-5, table B.1, and verifies itself', async (t) => {
  const token = await newTenant()
  const iaca = await makeIaca(world, { country: 'AT', stateOrProvinceName: 'AT-9', commonName: 'Test IACA' }, token)
  const path = await file(iaca.certificatePem)
  t.regex(await openssl('verify', '-x509_strict', '-check_ss_sig', '-CAfile', path, path), /OK/)
  const text = await openssl('x509', '-in', path, '-noout', '-text')
  t.regex(text, /Issuer: C ?= ?AT, ST ?= ?AT-9, CN ?= ?Test IACA\n/)
  t.regex(text, /Subject: C ?= ?AT, ST ?= ?AT-9, CN ?= ?Test IACA\n/)
  t.regex(text, /Signature Algorithm: ecdsa-with-SHA256/)
  t.regex(text, /ASN1 OID: prime256v1/)
  t.regex(text, /Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
  t.regex(text, /Key Usage: critical\s+Certificate Sign, CRL Sign\n/)
  t.regex(text, /Subject Key Identifier: \n/)
  t.regex(text, /Issuer Alternative Name: \s+URI:http/)
  t.regex(text, new RegExp(`CRL Distribution Points: \\s+Full Name:\\s+URI:\\S+/v1/iacas/${iaca.id}/crl\\n`))
  t.is(text.match(/X509v3 /g)?.length, 6) // five extensions under one heading: nothing else is in it
  const { notBefore, notAfter } = iaca.certificateData
  t.is(new Date(notAfter).getUTCFullYear() - new Date(notBefore).getUTCFullYear(), 9)
})

whereOpensslIs('a document signer has the profile of table B.3, and verifies against its IACA', async (t) => {
  const token = await newTenant()
  const iaca = await makeIaca(world, { stateOrProvinceName: 'NL-ZH' }, token)
  const signer = await makeSigner(world, { active: true, commonName: 'Signer 1' }, token)
  const [root, path] = [await file(iaca.certificatePem), await file(signer.certificatePem)]
  t.regex(await openssl('verify', '-x509_strict', '-CAfile', root, path), /OK/)
  const text = await openssl('x509', '-in', path, '-noout', '-text')
  t.regex(text, /Subject: C ?= ?NL, ST ?= ?NL-ZH, CN ?= ?Signer 1\n/)
  t.regex(text, /Key Usage: critical\s+Digital Signature\n/)
  t.regex(text, /Extended Key Usage: critical\s+1\.0\.18013\.5\.1\.2\n/)
  t.regex(text, /Authority Key Identifier: \s/)
  t.regex(text, /Issuer Alternative Name: \s+URI:http/)
  t.regex(text, new RegExp(`CRL Distribution Points: \\s+Full Name:\\s+URI:\\S+/v1/iacas/${iaca.id}/crl\\n`))
  t.notRegex(text, /CA:TRUE/)
  const { notBefore, notAfter } = signer.certificateData
  t.is(Date.parse(notAfter) - Date.parse(notBefore), 365 * DAY_MS)
})

whereOpensslIs('a revoked signer is in the published list, which the IACA signed (RFC 5280)', async (t) => {
  const iaca = await makeIaca(world)
  const signer = await makeSigner(world, { active: true, iacaId: iaca.id })
  const crl = async () => {
    const reply = await fetch(`${world.url}/v1/iacas/${iaca.id}/crl`)
    t.is(reply.status, 200)
    t.is(reply.headers.get('content-type'), 'application/pkix-crl')
    const path = await file(new Uint8Array(await reply.arrayBuffer()))
    return { path, text: await openssl('crl', '-inform', 'DER', '-in', path, '-noout', '-text') }
  }
  t.regex((await crl()).text, /No Revoked Certificates/)
  const revoked = await world.ask(`${SIGNERS}/${signer.id}/revoke`, { method: 'POST', token: world.token })
  t.is(revoked.status, 200)
  const { usability, revocationDate } = revoked.json<{ usability: string; revocationDate: string }>()
  t.is(usability, 'revoked')
  t.true(Math.abs(Date.now() - Date.parse(revocationDate)) < 60_000)
  const { path, text } = await crl()
  const { serialNumber } = new X509Certificate(signer.certificatePem)
  t.true(text.includes(`Serial Number: ${serialNumber}`))
  t.regex(text, /CRL Number: \s+2\n/)
  const list = await file(await openssl('crl', '-inform', 'DER', '-in', path))
  const [root, own] = [await file(iaca.certificatePem), await file(signer.certificatePem)]
  const check = openssl('verify', '-crl_check', '-CRLfile', list, '-CAfile', root, own)
  const { stderr } = await t.throwsAsync<Error & { stderr: string }>(check)
  t.regex(stderr, /certificate revoked/)
  const again = await world.ask(`${SIGNERS}/${signer.id}`, {
    method: 'PUT',
    token: world.token,
    body: { active: true },
  })
  t.deepEqual([again.status, ...codesOf(again.text)], [409, 'document_signer.not_usable'])
})

whereOpensslIs('the signer of an imported IACA gets its certificate by a request that openssl takes', async (t) => {
  const token = await newTenant()
  const authority = await makeAuthority('/C=DE/CN=Elsewhere', ...IACA_EXTENSIONS)
  const imported = await world.ask(IACAS, { token, body: { certificatePem: authority.pem } })
  t.is(imported.status, 201, imported.text)
  const { id: iacaId, managed } = imported.json<Iaca & { managed: boolean }>()
  t.false(managed)
  const signer = await makeSigner(world, { iacaId, commonName: 'Ours' }, token)
  t.false(signer.active)
  t.is(signer.usability, 'no_certificate')
  const request = await file(signer.csrPem ?? '')
  t.regex(await openssl('req', '-in', request, '-noout', '-verify', '-subject'), /C ?= ?DE, CN ?= ?Ours/)
  const sign = async (days: string, usage: string, csr = request, by = authority) => {
    const extensions = await file(`keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,${usage}\n`)
    const asked = ['x509', '-req', '-in', csr, '-CA', by.path, '-CAkey', by.key, '-set_serial', '0x4001', '-days', days]
    return openssl(...asked, '-extfile', extensions)
  }
  const put = (body: object) => world.ask(`${SIGNERS}/${signer.id}`, { method: 'PUT', token, body })
  const refused = async (certificatePem: string) => {
    const reply = await put({ active: true, certificatePem })
    return [reply.status, ...codesOf(reply.text)]
  }
  const invalid = [400, 'document_signer.certificate_invalid']
  const usage = '1.0.18013.5.1.2'
  t.deepEqual(await refused(await sign('458', usage)), [...invalid, 'certificatePem:validity'])
  t.deepEqual(await refused(await sign('100', 'serverAuth')), [...invalid, 'certificatePem:extended_key_usage'])
  const other = await makeAuthority('/C=DE/CN=Elsewhere', ...IACA_EXTENSIONS)
  t.deepEqual(await refused(await sign('100', usage, request, other)), [...invalid, 'certificatePem:issuer'])
  const otherSigner = await makeSigner(world, { iacaId, commonName: 'Other' }, token)
  const ofOther = await sign('100', usage, await file(otherSigner.csrPem ?? ''))
  t.deepEqual(await refused(ofOther), [...invalid, 'certificatePem:public_key'])
  t.deepEqual(await refused('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'), [
    400,
    'certificate.malformed',
    'certificatePem:pem',
  ])
  const taken = await put({ active: true, certificatePem: await sign('100', usage) })
  t.is(taken.status, 200, taken.text)
  t.is(taken.json().usability, 'usable')
})

whereOpensslIs('what is no IACA certificate is not imported, and each broken rule is named', async (t) => {
  const token = await newTenant()
  const refused = async (subject: string, ...extensions: string[]) => {
    const { pem: certificatePem } = await makeAuthority(subject, ...extensions)
    const reply = await world.ask(IACAS, { token, body: { certificatePem } })
    const [code, ...errors] = codesOf(reply.text)
    t.deepEqual([reply.status, code], [400, 'iaca.certificate_invalid'])
    return errors
  }
  const [constraints = '', usage = ''] = IACA_EXTENSIONS
  t.deepEqual(await refused('/C=DE/CN=x', 'basicConstraints=critical,CA:FALSE', usage), [
    'certificatePem:basic_constraints',
  ])
  t.deepEqual(await refused('/C=DE/CN=x', 'basicConstraints=critical,CA:TRUE', usage), ['certificatePem:path_length'])
  t.deepEqual(await refused('/C=DE/CN=x', constraints, 'keyUsage=critical,digitalSignature'), [
    'certificatePem:key_usage',
  ])
  t.deepEqual(await refused('/CN=x', ...IACA_EXTENSIONS), ['certificatePem:country'])
  t.deepEqual(await refused('/C=DE', ...IACA_EXTENSIONS), ['certificatePem:common_name'])
})

test('five live document signers are the most, also under concurrency', async (t) => {
  const token = await newTenant()
  await makeIaca(world, {}, token)
  const create = () => world.ask(SIGNERS, { token, body: { active: true } })
  const replies = await Promise.all(Array.from({ length: 12 }, create))
  t.deepEqual(replies.map(({ status }) => status).sort(), [...Array(5).fill(201), ...Array(7).fill(409)])
  const codes = replies.filter(({ status }) => status === 409).map(({ text }) => codesOf(text)[0])
  t.deepEqual(new Set(codes), new Set(['document_signer.too_many']))
  const [first, second] = replies.filter(({ status }) => status === 201).map((reply) => reply.json<Iaca>().id)
  t.is((await world.ask(`${SIGNERS}/${first}/revoke`, { method: 'POST', token })).status, 200)
  t.is((await create()).status, 201)
  t.is((await create()).status, 409)
  t.is((await world.ask(`${SIGNERS}/${second}`, { method: 'DELETE', token })).status, 204)
  t.is((await create()).status, 201)
  const list = await world.ask(`${SIGNERS}?limit=2`, { token })
  t.is(list.json<{ data: object[]; totalCount: number }>().totalCount, 6)
  t.is(list.json<{ data: object[] }>().data.length, 2)
})

test('times and names that a certificate cannot have are refused by their field', async (t) => {
  const token = await newTenant()
  const iaca = await makeIaca(world, { notAfter: new Date(Date.now() + 400 * DAY_MS).toISOString() }, token)
  const after = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const refused = async (path: string, body: object) => {
    const reply = await world.ask(path, { token, body })
    return [reply.status, ...codesOf(reply.text)]
  }
  const invalid = (error: string) => [400, 'request.invalid', error]
  t.deepEqual(await refused(SIGNERS, { notAfter: after(-1) }), invalid('notAfter:validity'))
  t.deepEqual(await refused(SIGNERS, { notAfter: after(458) }), invalid('notAfter:validity'))
  t.deepEqual(await refused(SIGNERS, { notAfter: after(401) }), invalid('notAfter:validity'))
  t.deepEqual(await refused(SIGNERS, { commonName: '' }), invalid('commonName:printable_string'))
  t.deepEqual(await refused(SIGNERS, { commonName: 'é' }), invalid('commonName:printable_string'))
  t.deepEqual(await refused(IACAS, { commonName: 'x' }), invalid('country:required'))
  t.deepEqual(await refused(IACAS, { country: 'nl' }), invalid('country:subject'))
  t.deepEqual(await refused(IACAS, { country: 'NL', notAfter: after(21 * 366) }), invalid('notAfter:validity'))
  t.deepEqual(await refused(IACAS, { country: 'NL', certificatePem: iaca.certificatePem }), invalid('country:unknown'))
  t.deepEqual(await refused(SIGNERS, { iacaId: randomUUID() }), [404, 'iaca.not_found'])
})

test('an IACA that is inactive or missing certifies nothing, and one in use is not deleted', async (t) => {
  const token = await newTenant()
  const refused = async (body: object) => {
    const reply = await world.ask(SIGNERS, { token, body })
    return [reply.status, ...codesOf(reply.text)]
  }
  t.deepEqual(await refused({}), [409, 'iaca.missing'])
  const { id: iacaId } = await makeIaca(world, {}, token)
  const activate = (active: boolean) => world.ask(`${IACAS}/${iacaId}`, { method: 'PUT', token, body: { active } })
  t.is((await activate(false)).json().usability, 'inactive')
  t.deepEqual(await refused({}), [409, 'iaca.missing'])
  t.deepEqual(await refused({ iacaId }), [409, 'iaca.not_usable'])
  await activate(true)
  const { id } = await makeSigner(world, { iacaId }, token)
  const usabilities = async () => {
    const list = (await world.ask(SIGNERS, { token })).json<{ data: { usability: string }[] }>()
    return [list.data[0]?.usability, (await world.ask(`${SIGNERS}/${id}`, { token })).json().usability]
  }
  t.deepEqual(await usabilities(), ['usable', 'usable'])
  await activate(false)
  t.deepEqual(await usabilities(), ['iaca_inactive', 'iaca_inactive'])
  await activate(true)
  const remove = (path: string) => world.ask(path, { method: 'DELETE', token })
  const inUse = await remove(`${IACAS}/${iacaId}`)
  t.deepEqual([inUse.status, ...codesOf(inUse.text)], [409, 'iaca.in_use'])
  t.is((await remove(`${SIGNERS}/${id}`)).status, 204)
  t.is((await remove(`${SIGNERS}/${id}`)).status, 404)
  t.is((await remove(`${IACAS}/${iacaId}`)).status, 204)
  t.is((await world.ask(`${IACAS}/${iacaId}`, { token })).status, 404)
  const keys = await world.dependencies.systemSql.query<{ count: number }>({
    text: 'select count(*)::int as count from keys where owner_id = any($1)',
    values: [[iacaId, id]],
  })
  t.is(keys.rows[0]?.count, 0)
})

test('the published IACAs are those that certify, for mdoc_iacas_uri of OpenID4VCI', async (t) => {
  const token = await world.tokenOf(await world.addTenant('issuers'))
  const active = await makeIaca(world, { commonName: 'active' }, token)
  const inactive = await makeIaca(world, { commonName: 'inactive' }, token)
  await world.ask(`${IACAS}/${inactive.id}`, { method: 'PUT', token, body: { active: false } })
  const host = `issuers.${new URL(world.url).host}`
  const client = rawClient(world.url)
  t.teardown(client.close)
  const { text } = await client.ask({ path: '/v1/iacas', headers: { host } })
  const { iacas } = JSON.parse(text) as { iacas: { certificate: string }[] }
  t.deepEqual(
    iacas.map(({ certificate }) => certificate),
    [new X509Certificate(active.certificatePem).raw.toString('base64')],
  )
})

test('a repeated request with an Idempotency-Key makes no second signer', async (t) => {
  const token = await newTenant()
  const headers = { 'idempotency-key': randomUUID() }
  const iaca = () => world.ask(IACAS, { token, body: { country: 'NL' }, headers })
  t.is((await iaca()).text, (await iaca()).text)
  const signerHeaders = { 'idempotency-key': randomUUID() }
  const signer = () => world.ask(SIGNERS, { token, body: {}, headers: signerHeaders })
  t.is((await signer()).text, (await signer()).text)
  t.is((await world.ask(SIGNERS, { token })).json().totalCount, 1)
})
