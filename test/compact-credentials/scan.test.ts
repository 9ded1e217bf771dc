import test from 'ava'
import jsQrModule from 'jsqr'
import { PNG } from 'pngjs'
import { uuidOfId } from '../../protocol/uuid.ts'
import { COMPACT, COMPACT_SEMANTIC, signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { until } from '../support/credentials/dids.ts'
import { refusal } from '../support/credentials/templates.ts'
import { fileField, outcomeOf, pdfOf, photographed, qrJpeg, qrPng, verifyForm } from '../support/pdf/scans.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
let encoded: string
let id: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256')
  const signed = await signCompact(world, { iss: issuer, property_set: claims }, { revocable: true })
  encoded = signed.encoded
  id = signed.id
})
test.after.always(() => world?.close())

const claims = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`claim_${at}`, `value of claim ${at}`]))

/** The QR code as the API draws it. */
async function drawn(text = encoded, width?: number): Promise<Buffer> {
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ payload: text, width })
  const response = await fetch(`${world.url}${COMPACT}/qrcode`, { method: 'POST', headers, body })
  return Buffer.from(await response.arrayBuffer())
}

const outcome = (file: Uint8Array, path?: string) => outcomeOf(verifyForm(world, [fileField(file)], path))

/** What a library reads that the platform does not use. */
function scanned(bytes: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(bytes)
  return jsQrModule.default(new Uint8ClampedArray(data), width, height)?.data
}

test('a credential of 25 claims is read from a photograph of its QR code, by another library and by us', async (t) => {
  const image = await drawn()
  for (const how of [
    { degrees: 0, scale: 1 },
    { degrees: 4, scale: 1 },
    { degrees: 0, scale: 0.5 },
    { degrees: 7, scale: 0.75 },
  ]) {
    const photograph = photographed(image, how)
    t.is(await outcome(photograph), '200 verified', JSON.stringify(how))
    if (how.scale === 1) t.is(scanned(photograph), encoded, JSON.stringify(how))
  }
})

test('a PNG, a JPEG and a PDF verify as the text does (specification, verifyCompactCredential)', async (t) => {
  const image = await drawn()
  const { decoded } = (await world.ask(`${COMPACT}/${id}`, { token: world.token })).json<{ decoded: object }>()
  for (const file of [image, qrJpeg(encoded), await pdfOf([{ images: [image] }])]) {
    const response = await verifyForm(world, [fileField(file)])
    t.is(response.status, 200)
    t.deepEqual(await response.json(), { verified: true, decoded })
  }
})

test('the first bytes say what a file is, not its media type', async (t) => {
  const image = await drawn()
  for (const type of ['image/png', 'application/pdf', 'text/plain', 'application/octet-stream'])
    t.is(await outcomeOf(verifyForm(world, [fileField(image, type)])), '200 verified', type)
  for (const bytes of ['', 'hello', 'GIF89a', '<svg xmlns="http://www.w3.org/2000/svg"/>'])
    t.is(await outcome(Buffer.from(bytes)), '415 request.unsupported_media_type', bytes)
})

test('the pages of a PDF are read up to the fifth, and until one has a credential', async (t) => {
  const [image, other] = [await drawn(), await qrPng('CSC:/1/AAAA')]
  t.is(await outcome(await pdfOf([{}, {}, {}, {}, { images: [image] }])), '200 verified')
  t.is(await outcome(await pdfOf([{}, {}, {}, {}, {}, { images: [image] }])), '200 PayloadInvalid')
  t.is(await outcome(await pdfOf([{ images: [image] }, { images: [other] }])), '200 verified')
})

test('the credential is found among other QR codes; none and several are PayloadInvalid (D-296)', async (t) => {
  const [image, link, other] = [await drawn(), await qrPng('https://example.org'), await qrPng('CSC:/1/AAAA')]
  const semantic = await qrPng('CSS:/1/AAAA')
  t.is(await outcome(await pdfOf([{ images: [link, image, semantic] }])), '200 verified')
  t.is(await outcome(await pdfOf([{ images: [image, image] }])), '200 verified')
  t.is(await outcome(await pdfOf([{ images: [image, other] }])), '200 PayloadInvalid')
  for (const file of [link, other, semantic, await pdfOf([{}])]) t.is(await outcome(file), '200 PayloadInvalid')
})

test('a compact-semantic credential is read by its own operation alone', async (t) => {
  const signed = await signCompactSemantic(world, issuer)
  const image = await qrPng(signed.encoded)
  t.is(await outcome(image, COMPACT_SEMANTIC), '200 verified')
  t.is(await outcome(image), '200 PayloadInvalid')
})

test('the other members are parts of the form, lists once for each item or as JSON', async (t) => {
  const now = Math.floor(Date.now() / 1_000)
  const expired = await signCompact(world, { iss: issuer, exp: now - 3_600 })
  const file = fileField(await qrPng(expired.encoded))
  const json = (value: unknown) => new Blob([JSON.stringify(value)], { type: 'application/json' })
  const of = (...fields: [string, string | Blob][]) => outcomeOf(verifyForm(world, [file, ...fields]))
  t.is(await of(), '200 Expired')
  t.is(await of(['assert_expiry', 'true']), '200 Expired')
  t.is(await of(['assert_expiry', 'false']), '200 verified')
  const open: [string, string] = ['assert_expiry', 'false']
  t.is(await of(open, ['trusted_issuers', issuer]), '200 verified')
  t.is(await of(open, ['trusted_issuers', 'did:example:a'], ['trusted_issuers', issuer]), '200 verified')
  t.is(await of(open, ['trusted_issuers', 'did:example:a']), '200 IssuerNotTrusted')
  t.is(await of(open, ['trusted_issuers', 'true']), '200 IssuerNotTrusted')
  t.is(await of(['assert_expiry', 'no']), '400 request.invalid')
  t.is(await of(['payload', 'CSC:/1/AAAA']), '400 request.invalid')
  t.is(await of(['toString', 'x']), '400 request.invalid')
  t.is(await of(open, open), '400 request.duplicate_member')
  t.is(await of(['trusted_issuers', json([])]), '413 request.too_large') // a second file
})

test('a JSON part is read as JSON: an empty list of issuers trusts none', async (t) => {
  const image = await drawn()
  const part = (head: string, body: Buffer | string) =>
    Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ])
  const file = part('name="file"; filename="a.png"', image)
  const send = async (...parts: Buffer[]) => {
    const raw = new Uint8Array(Buffer.concat([file, ...parts, Buffer.from('--x--\r\n')]))
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    return world.ask(`${COMPACT}/verify`, { token: world.token, raw, headers })
  }
  const json = (name: string, text: string) => part(`name="${name}"\r\nContent-Type: application/json`, text)
  t.like((await send(json('trusted_issuers', '[]'))).json(), { verified: false, error: { type: 'IssuerNotTrusted' } })
  t.like((await send(json('assert_expiry', 'null'), json('trusted_issuers', `["${issuer}"]`))).json(), {
    verified: true,
  })
  t.is(refusal(await send(json('trusted_issuers', '[')), 400), 'request.malformed_json')
  t.is(refusal(await send(part('name="trusted_issuers"', Buffer.from([0xc3, 0x28]))), 400), 'request.not_utf8')
})

test('an Idempotency-Key recognizes the form again, whose boundary is another one', async (t) => {
  const image = await drawn()
  const send = async (file: Buffer) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(file)]), 'a.png')
    const headers = { authorization: `Bearer ${world.token}`, 'idempotency-key': 'scan-1' }
    return fetch(`${world.url}${COMPACT}/verify`, { method: 'POST', headers, body: form })
  }
  t.is((await send(image)).status, 200)
  t.is((await send(image)).headers.get('idempotency-replayed'), 'true')
  t.is((await send(await qrPng('x'))).status, 422)
})

test('the log has the verdict of a file, and its credential', async (t) => {
  const { id: jti, encoded: text } = await signCompact(world, { iss: issuer, name: 'Unsayable' })
  const uuid = uuidOfId(jti) ?? ''
  t.is(await outcome(await qrPng(text)), '200 verified')
  const entry = await until('the entry of the log', async () => {
    const { rows } = await world.dependencies.systemSql.query<{ row: string }>({
      text: `select l::text as row from logs l where type = 'CREDENTIAL_COMPACT_VERIFY_SUCCESS' and l::text like $1`,
      values: [`%${uuid}%`],
    })
    return rows[0]?.row
  })
  t.true(entry.includes('true'))
  t.false(/Unsayable|CSC:/.test(entry))
})
