import test from 'ava'
import { PDFDocument, TextAlignment } from 'pdf-lib'
import { COMPACT, createPdfTemplate, signCompact, signCompactSemantic } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { base64, codesOf, makePdf, members } from '../support/pdf/passes.ts'
import { alternativesIn, inkIn, readPdf, scanPage, structureOf } from '../support/pdf/reader.ts'
import { FONTS, type TextPlace, templatePdf } from '../support/pdf/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let issuer: string
test.before(async () => {
  world = await openWorld()
  issuer = await createDid(world, 'P-256', world.token, true)
})
test.after.always(() => world?.close())

const EXP = 1_893_456_000 // 2030-01-01

const FONT_MEMBERS = Object.entries(FONTS).map(([name, bytes]) => ({
  name,
  file_name: `${name}.ttf`,
  file: base64(bytes),
}))

/** A template with a field for each value. */
async function template(values: Record<string, string | Record<string, unknown>>, more: Record<string, unknown> = {}) {
  const texts = Object.keys(values).map((name, at): TextPlace => ({ name, y: 720 - at * 40 }))
  const fields = Object.entries(values).map(([key, value]) => ({
    key,
    ...(typeof value === 'string' ? { value } : value),
  }))
  const pdf = await templatePdf({ texts })
  return createPdfTemplate(world, members(pdf, { fields, fonts: FONT_MEMBERS, ...more }))
}

const signed = (claims: Record<string, unknown>, more: object = {}) =>
  signCompact(world, { iss: issuer, property_set: claims, ...more })

async function pageOf(templateId: string, payload: string) {
  const made = await makePdf(world, templateId, payload)
  if (made.status !== 200) throw new Error(JSON.stringify(made.problem))
  const [page] = await readPdf(made.pdf)
  if (!page) throw new Error('the PDF has no page')
  return { ...page, pdf: made.pdf, headers: made.headers }
}

test('claims fill the fields, the QR code is the credential, and nothing is left to edit (specification, PDF template)', async (t) => {
  const texts = ['Name', 'Until', 'Born', 'Passed'].map((name, at): TextPlace => ({ name, y: 720 - at * 40 }))
  const fields = [
    {
      key: 'Name',
      value: '{{ given_name }} {{ family_name }}',
      is_required: true,
      alternative_text: 'Name of the holder',
    },
    { key: 'Until', value: "Until {{ date expiry 'dd MMM yyyy' }}" },
    { key: 'Born', value: '{{ date born "d MMMM yyyy" }}' },
    { key: 'Passed', value: '{{ passed }} {{ grade }} {{ absent }}' },
    { key: 'qrCode', alternative_text: 'The credential' },
  ]
  const metadata = { title: 'Pass of Zoë', author: 'Example University' }
  const templateId = await createPdfTemplate(
    world,
    members(await templatePdf({ texts }), { fields, metadata, fonts: FONT_MEMBERS }),
  )
  const claims = { given_name: 'Zoë', family_name: 'Åström-Ñuñez', born: '1999-12-31', passed: true, grade: 1.5 }
  const { encoded } = await signed(claims, { exp: EXP })
  const page = await pageOf(templateId, encoded)
  t.is(page.headers.get('content-type'), 'application/pdf')
  t.is(page.headers.get('content-disposition'), 'attachment; filename="course pass.pdf"')
  for (const text of ['Certificate', 'Zoë Åström-Ñuñez', 'Until 01 Jan 2030', '31 December 1999', 'true 1.5'])
    t.true(page.text.includes(text), `${text} in ${page.text}`)
  t.is(scanPage(page), encoded)
  const { title, author, ...left } = await structureOf(page.pdf)
  t.deepEqual(left, { hasForm: false, annotations: 0, widgets: 0 })
  t.deepEqual({ title, author }, metadata)
  t.deepEqual((await alternativesIn(page.pdf)).sort(), ['Name of the holder', 'The credential'])
})

test('Arabic is joined and runs from right to left, Chinese stands beside it, and digits keep their order (Unicode Annex 9)', async (t) => {
  const templateId = await template({
    Arabic: { value: '{{ ar }}', font_name: 'arabic' },
    Chinese: '{{ zh }}',
    Mixed: '{{ mixed }}',
  })
  const arabic = 'شهادة (2026) إتمام'
  const { encoded } = await signed({ ar: arabic, zh: '李明 课程证书', mixed: 'Ada 李明 إتمام' })
  const page = await pageOf(templateId, encoded)
  // PDFium gives glyphs from left to right: the first letter of an Arabic text is the last one
  const seen = page.text.split(/\r?\n/).find((line) => line.includes('2026')) ?? ''
  t.is(seen, 'مامتإ (2026) ةداهش')
  t.true(page.text.includes('李明 课程证书'))
  t.true(page.text.includes('Ada 李明 مامتإ'))
  // a text that begins at the right leaves the left of its box empty
  t.is(inkIn(page, { x: 52, y: 722, width: 100, height: 20 }), 0)
  t.true(inkIn(page, { x: 200, y: 722, width: 150, height: 20 }) > 200)
})

test('letters of Arabic take another form in a word than alone', async (t) => {
  const templateId = await template({ Word: '{{ word }}', Alone: '{{ alone }}' })
  const { encoded } = await signed({ word: 'ههه', alone: 'ه ه ه' })
  const page = await pageOf(templateId, encoded)
  const [joined, apart] = [720, 680].map((y) => inkIn(page, { x: 50, y, width: 300, height: 24 }))
  t.true(Number(joined) > 50 && Number(apart) > 50)
  t.true(Math.abs(Number(joined) - Number(apart)) > 20, `${joined} ${apart}`)
})

test('a long text breaks into lines or gets smaller, and one that fits at no size is refused', async (t) => {
  const texts: TextPlace[] = [
    { name: 'Lines', y: 500, height: 120, multiline: true },
    { name: 'Line', y: 460, width: 200, size: 14, alignment: TextAlignment.Center },
  ]
  const fields = [
    { key: 'Lines', value: '{{ lines }}' },
    { key: 'Line', value: '{{ line }}' },
  ]
  const templateId = await createPdfTemplate(
    world,
    members(await templatePdf({ texts }), { fields, fonts: FONT_MEMBERS }),
  )
  const lines = 'The holder has passed the course with distinction. '.repeat(8).trim()
  const { encoded } = await signed({ lines, line: 'A line that is somewhat too long for it' })
  const page = await pageOf(templateId, encoded)
  t.true(page.text.replaceAll(/\s+/g, ' ').includes(lines))
  t.true(page.text.includes('A line that is somewhat too long for it'))
  for (const y of [500, 540, 580]) t.true(inkIn(page, { x: 50, y, width: 300, height: 40 }) > 500, `lines at ${y}`)
  const outside = { x: 360, y: 380, width: 235, height: 300 }
  t.is(inkIn(page, outside), 0)
  const tooLong = await makePdf(world, templateId, (await signed({ lines: '', line: 'word '.repeat(60) })).encoded)
  t.is(tooLong.status, 400)
  t.deepEqual(codesOf(tooLong), ['pdf.not_filled', 'pdf.text_does_not_fit'])
})

test('a claim that is required and absent, one that is no date, and a character without a glyph are refused by name', async (t) => {
  const templateId = await template({
    Name: { value: '{{ name }}', is_required: true },
    Day: "{{ date day 'dd.MM.yyyy' }}",
    Note: '{{ note }}',
  })
  for (const [claims, code, word] of [
    [{ day: '2026-01-31' }, 'pdf.claim_missing', 'the claim name'],
    [{ name: '   ' }, 'pdf.claim_missing', 'the claim name'],
    [{ name: 'Ada', day: 'tomorrow' }, 'pdf.claim_not_date', 'the claim day'],
    [{ name: 'Ada', note: 'ᚠ' }, 'pdf.glyph_missing', 'U+16A0'],
    [{ name: 'Ada', note: 'x'.repeat(600) }, 'pdf.text_does_not_fit', 'Note'],
  ] as const) {
    const made = await makePdf(world, templateId, (await signed(claims)).encoded)
    t.is(made.status, 400)
    t.deepEqual(codesOf(made), ['pdf.not_filled', code])
    t.true(made.problem.errors?.[0]?.message.includes(word), made.problem.errors?.[0]?.message)
  }
})

test('without fonts Helvetica shows Latin, and other alphabets are refused', async (t) => {
  const templateId = await template({ Name: '{{ name }}' }, { fonts: [] })
  const page = await pageOf(templateId, (await signed({ name: 'Zoë €' })).encoded)
  t.true(page.text.includes('Zoë €'))
  const made = await makePdf(world, templateId, (await signed({ name: 'Łukasz' })).encoded)
  t.deepEqual(codesOf(made), ['pdf.not_filled', 'pdf.glyph_missing'])
})

test('a compact-semantic credential fills fields by its subject and by paths', async (t) => {
  const templateId = await template({
    Course: '{{ course }}',
    Issuer: '{{ issuer.name }}',
    Grades: '{{ grades }}',
    From: "{{ date issuanceDate 'yyyy-MM-dd' }}",
  })
  const { encoded } = await signCompactSemantic(world, issuer)
  const page = await pageOf(templateId, encoded)
  for (const text of ['CS-101', 'Example University', '1, 2.5', '2026-01-01']) t.true(page.text.includes(text), text)
  t.is(scanPage(page), encoded)
})

test('a credential that does not verify gives no PDF: malformed, changed, expired, revoked', async (t) => {
  const templateId = await template({ Name: '{{ name }}' })
  const { encoded } = await signed({ name: 'Ada' })
  const changed = encoded.slice(0, -9) + (encoded.at(-9) === 'A' ? 'B' : 'A') + encoded.slice(-8)
  const revoked = await signCompact(world, { iss: issuer, property_set: { name: 'Ada' } }, { revocable: true })
  await world.ask(`${COMPACT}/${revoked.id}/revocation-status`, { token: world.token, body: { is_revoked: true } })
  const expired = await signed({ name: 'Ada' }, { exp: Math.floor(Date.now() / 1_000) - 3_600 })
  for (const [payload, reason] of [
    ['CSC:/1/AAAA', 'payload_invalid'],
    [changed, 'signature_invalid'],
    [expired.encoded, 'expired'],
    [revoked.encoded, 'revoked'],
  ] as const) {
    const made = await makePdf(world, templateId, payload)
    t.is(made.status, 400, reason)
    t.deepEqual(codesOf(made).slice(0, 2), ['compact_credential.not_verified', `compact_credential.${reason}`])
  }
})

test('the same Idempotency-Key gives the same file with its name again', async (t) => {
  const templateId = await template({ Name: '{{ name }}' }, { file_name: 'Über uns' })
  const { encoded } = await signed({ name: 'Ada' })
  const headers = { 'idempotency-key': 'pass-1' }
  const first = await makePdf(world, templateId, encoded, headers)
  const second = await makePdf(world, templateId, encoded, headers)
  t.is(first.status, 200)
  t.is(second.headers.get('idempotency-replayed'), 'true')
  t.deepEqual(second.pdf, first.pdf)
  // RFC 6266, section 4.3
  t.is(
    first.headers.get('content-disposition'),
    `attachment; filename="_ber uns.pdf"; filename*=UTF-8''%C3%9Cber%20uns.pdf`,
  )
  t.is(second.headers.get('content-disposition'), first.headers.get('content-disposition'))
})

test('a credential that is too long for its place is refused', async (t) => {
  const pdf = await templatePdf({ qr: 60 })
  const templateId = await createPdfTemplate(world, members(pdf))
  const long = Object.fromEntries(
    Array.from({ length: 18 }, (_, at) => [`claim_${at}`, `value of claim ${at}`.repeat(3)]),
  )
  const made = await makePdf(world, templateId, (await signed({ course: 'CS-101', ...long })).encoded)
  t.deepEqual(codesOf(made), ['pdf.not_filled', 'pdf.qr_code_too_small'])
  const page = await pageOf(
    await createPdfTemplate(world, members(await templatePdf())),
    (await signed({ course: 'CS-101' })).encoded,
  )
  t.truthy(scanPage(page))
})

test('a field that is turned shows its text turned (ISO 32000-1, table 189, R)', async (t) => {
  const texts = [90, 180, 270].map(
    (turned, at): TextPlace => ({
      name: `Turned ${turned}`,
      x: 150 + at * 100,
      y: 550,
      width: 200,
      height: 24,
      size: 12,
      turned,
    }),
  )
  const pdf = await templatePdf({ texts })
  const boxes = (await PDFDocument.load(pdf))
    .getForm()
    .getFields()
    .slice(0, 3)
    .map((field) => field.acroField.getWidgets()[0]?.getRectangle())
  const fields = texts.map(({ name }) => ({ key: name, value: '{{ text }}' }))
  const templateId = await createPdfTemplate(world, members(pdf, { fields, fonts: FONT_MEMBERS }))
  const page = await pageOf(templateId, (await signed({ text: 'MMMMMMMMMM' })).encoded)
  const ink = boxes.map((box) => (box ? inkIn(page, box) : 0))
  t.deepEqual(
    ink.map((pixels) => pixels > 300),
    [true, true, true],
    ink.join(),
  )
  // each text begins in the half of its box where its turn leads: the lower, the right and the upper one
  const halves = boxes.map((box, at) => {
    if (!box) return 0
    const { x, y, width, height } = box
    const half = [
      { x, y, width, height: height / 2 },
      { x: x + width / 2, y, width: width / 2, height },
      { x, y: y + height / 2, width, height: height / 2 },
    ][at]
    return half ? inkIn(page, half) / (ink[at] ?? 1) : 0
  })
  t.true(
    halves.every((share) => share > 0.7),
    halves.join(),
  )
})
