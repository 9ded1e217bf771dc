import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Refusal } from '../../protocol/errors.ts'
import { MAX_IMAGE_BYTES } from '../../protocol/semantic-credentials/branding.ts'
import { normaliseSignPayload } from '../../protocol/semantic-credentials/index.ts'
import { payloadFromTemplate } from '../../protocol/semantic-credentials/templates/index.ts'
import { claimLines, create, errors, lines, until } from '../support/credentials/batches.ts'
import { createDid, payload, verify } from '../support/credentials/credentials.ts'
import { course, createTemplate, refusal, TEMPLATES } from '../support/credentials/templates.ts'
import type { Reply } from '../support/world.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let did: string
test.before(async () => {
  world = await openWorld({ workflows: true })
  did = await createDid(world)
})
test.after.always(() => world?.close())

const inline = (type: string, head: string | Buffer, bytes = 64): string =>
  `data:image/${type};base64,${Buffer.concat([Buffer.from(head), randomBytes(bytes)]).toString('base64')}`
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const JPEG = Buffer.from('ffd8ffe0', 'hex')
const webp = (bytes: number) => {
  const head = Buffer.from('RIFF    WEBPVP8 ')
  head.writeUInt32LE(bytes + 8, 4)
  return inline('webp', head, bytes)
}
const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
const base64 = (text: string) => Buffer.from(text).toString('base64')

const IMAGES = [
  'https://example.edu/logo.png',
  'https://cdn.example.edu:8443/a/b.webp?size=2#x',
  'https://xn--bcher-kva.example/i.jpg',
  inline('png', PNG),
  inline('jpeg', JPEG),
  webp(64),
  inline('png', PNG, MAX_IMAGE_BYTES - PNG.length),
]

const NO_IMAGES = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  `data:text/html;base64,${base64('<script>alert(1)</script>')}`,
  'data:text/html,<script>alert(1)</script>',
  `data:image/svg+xml;base64,${base64(svg)}`,
  `data:image/png;base64,${base64(svg)}`,
  `data:image/png;charset=x;base64,${PNG.toString('base64')}`,
  `data:image/png,${svg}`,
  inline('png', JPEG),
  inline('jpeg', PNG),
  inline('gif', 'GIF89a'),
  'data:image/png;base64,iVBORw0KGgp=', // bits behind the last byte
  `data:image/png;base64,${PNG.toString('base64')} `,
  `data:image/png;base64,${PNG.toString('base64url')}-_`,
  inline('png', PNG, MAX_IMAGE_BYTES),
  'file:///etc/passwd',
  'http://example.edu/logo.png',
  'ftp://example.edu/logo.png',
  'blob:https://example.edu/1',
  'https:example.edu/logo.png',
  'https:///example.edu/logo.png',
  'https://user@example.edu/logo.png',
  'https://user:secret@example.edu/logo.png',
  'https://@example.edu/logo.png',
  'https://127.0.0.1/logo.png',
  'https://2130706433/logo.png',
  'https://0x7f.1/logo.png',
  'https://[::1]/logo.png',
  'https://localhost/logo.png',
  'https://router/logo.png',
  'https://router.local/logo.png',
  'https://metadata.google.internal/logo.png',
  'https://printer.home.arpa/logo.png',
  'https://example.edu\\@evil.example/logo.png',
  'https://example.edu/lo\ngo.png',
  'logo.png',
  '',
]

const COLOURS = ['#fff', '#B00AA0', '#b00aa080', 'red', 'RebeccaPurple']
const NO_COLOURS = [
  'expression(alert(1))',
  'url(javascript:alert(1))',
  'red;background:url(https://evil.example)',
  'rgb(1,2,3)',
  'var(--x)',
  'inherit',
  '#12',
  '#ff00',
  '#ggg',
  '#B00AA0 ',
  '</style><script>',
  '',
]

const NAMES = ['Course certificate', 'Prüfung 課程 شهادة', "O'Brien & Söhne <1>"]
const NO_NAMES = ['a\u0007b', 'a\nb', 'a\u202eb', 'a\u2066b', 'a\u2028b', '\u001b[31mred', 'a\u0085b']
const DESCRIPTIONS = [...NAMES, 'Two\r\nlines\tof text']
const NO_DESCRIPTIONS = ['a\u0007b', 'a\u202db', 'a\u2029b', 'a\u009fb']

type Place = readonly [member: string, inPayload: (value: string) => object, inTemplate: (value: string) => object]

const issuer = (more: object) => ({ issuer: { id: did, name: 'Example University', ...more } })
const bare = (more: object) => ({ issuer: { name: 'Example University', ...more } })

const PICTURES: Place[] = [
  ['issuer.iconUrl', (iconUrl) => issuer({ iconUrl }), (icon_url) => bare({ icon_url })],
  ['issuer.logoUrl', (logoUrl) => issuer({ logoUrl }), (logo_url) => bare({ logo_url })],
  [
    'credentialBranding.watermarkImageUrl',
    (watermarkImageUrl) => ({ credentialBranding: { watermarkImageUrl } }),
    (watermarkImageUrl) => ({ credential_branding: { watermarkImageUrl } }),
  ],
]
const COLOUR: Place[] = [
  [
    'credentialBranding.backgroundColor',
    (backgroundColor) => ({ credentialBranding: { backgroundColor } }),
    (backgroundColor) => ({ credential_branding: { backgroundColor } }),
  ],
]
const NAME: Place[] = [
  ['name', (name) => ({ name }), (name) => ({ name })],
  ['issuer.name', (name) => issuer({ name }), (name) => bare({ name })],
]
const DESCRIPTION: Place[] = [['description', (description) => ({ description }), (description) => ({ description })]]

const CASES: [what: string, places: Place[], good: string[], bad: string[]][] = [
  ['a picture', PICTURES, IMAGES, NO_IMAGES],
  ['a colour', COLOUR, COLOURS, NO_COLOURS],
  ['a name', NAME, NAMES, NO_NAMES],
  ['a description', DESCRIPTION, DESCRIPTIONS, NO_DESCRIPTIONS],
]

const sign = (more: object, proofType = 'eddsa-rdfc-2022') =>
  world.ask('/v1/credentials/web-semantic/sign', {
    token: world.token,
    body: { payload: payload(did, { ...more }), proofType, revocable: false },
  })
const makeTemplate = (more: object) => world.ask(TEMPLATES, { token: world.token, body: course({ ...more }) })

const snake = (member: string) =>
  member
    .replace(/^credentialBranding/, 'credential_branding')
    .replace(/(?<=issuer\..*)[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const pathsOf = (reply: Reply) => reply.json<{ errors: { path: string }[] }>().errors.map(({ path }) => path)

for (const [what, places, good, bad] of CASES)
  for (const [member, inPayload, inTemplate] of places) {
    test(`${what} in ${member}: what a wallet may show is signed, and kept in templates (D-154)`, async (t) => {
      for (const value of good) {
        const signed = await sign(inPayload(value))
        t.is(signed.status, 200, `${value.slice(0, 60)}: ${signed.text.slice(0, 300)}`)
        const template = await makeTemplate(inTemplate(value))
        t.is(template.status, 200, `${value.slice(0, 60)}: ${template.text.slice(0, 300)}`)
      }
    })

    test(`${what} in ${member}: anything else is a 400 that names it, at signing and in templates (D-154)`, async (t) => {
      for (const value of bad) {
        const signed = await sign(inPayload(value))
        t.is(refusal(signed, 400), 'credential.invalid', value.slice(0, 60))
        t.deepEqual(pathsOf(signed), [`payload.${member}`], value.slice(0, 60))
        const template = await makeTemplate(inTemplate(value))
        t.is(refusal(template, 400), 'credential_template.invalid', value.slice(0, 60))
        t.true(pathsOf(template).includes(snake(member)), `${value.slice(0, 60)}: ${template.text}`)
      }
    })
  }

test('names with their language are looked at as well (Data Model 2.0, section 11.1)', async (t) => {
  for (const name of [{ '@value': 'a\u202eb', '@language': 'en' }, ['fine', { '@value': 'a\u0007b' }]]) {
    t.deepEqual(pathsOf(await sign({ name })), ['payload.name'])
    t.deepEqual(pathsOf(await sign(issuer({ name }))), ['payload.issuer.name'])
  }
  t.is((await sign({ name: [{ '@value': 'Kurs', '@language': 'de' }] })).status, 200)
})

test('a template that was kept before the rules signs nothing that breaks them (D-154)', (t) => {
  const now = new Date('2026-03-01T12:00:00Z')
  const definition = {
    ...{ name: 'Course', type: 'CourseCredential', additionalTypes: [], revocable: false },
    issuer: { name: 'Example University', logoUrl: 'javascript:alert(1)' },
    credentialBranding: { backgroundColor: 'url(javascript:alert(1))' },
  }
  const payload = payloadFromTemplate(definition, { issuerDid: did, claims: { course: 'x' }, now })
  const error = t.throws(() => normaliseSignPayload(payload, { proofType: 'eddsa-rdfc-2022', revocable: false, now }), {
    instanceOf: Refusal,
  })
  t.deepEqual(error?.errors.map(({ path }) => path).sort(), ['/credentialBranding/backgroundColor', '/issuer/logoUrl'])
})

test('a row of a batch with unsafe branding is a row with an error that names it, and the others are signed', async (t) => {
  const unsafe = { credentialBranding: { watermarkImageUrl: 'javascript:alert(1)' } }
  const raw = lines(3, (row) =>
    row === 2 ? { payload: { ...unsafe, credentialSubject: { id: 'did:example:a', course: 'x' } } } : {},
  )
  const options = { issuer: did, proofType: 'eddsa-rdfc-2022', context: JSON.stringify({ course: 'urn:course' }) }
  const { id } = await create(world, raw, options)
  t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 2, failed: 1 })
  t.like(await errors(world, id), [
    { row: 2, field: 'payload.credentialBranding.watermarkImageUrl', rule: 'credential.image' },
  ])
  t.true((await errors(world, id)).every(({ message }) => !message.includes('alert')))
})

test('a picture of the largest size is signed in a batch, with every kind of proof', async (t) => {
  const picture = inline('png', PNG, MAX_IMAGE_BYTES - PNG.length)
  const { id: templateId } = await createTemplate(world, { credential_branding: { watermarkImageUrl: picture } })
  const { id } = await create(world, claimLines(2), { templateId, issuerDid: did })
  t.like(await until(world, id, ({ status }) => status === 'COMPLETED'), { signed: 2, failed: 0 })
  const keyType = { 'bbs-2023': 'bls12381g2', 'ecdsa-rdfc-2019': 'p256' }
  for (const [proofType, type] of Object.entries(keyType)) {
    const other = await createDid(world, type)
    const reply = await world.ask('/v1/credentials/web-semantic/sign', {
      token: world.token,
      body: { payload: payload(other, { issuer: { id: other, iconUrl: picture } }), proofType, revocable: false },
    })
    t.is(reply.status, 200, reply.text.slice(0, 300))
    const { credential } = reply.json<{ credential: object }>()
    t.deepEqual(await verify(world, credential), { verified: true, reason: [] })
  }
})
