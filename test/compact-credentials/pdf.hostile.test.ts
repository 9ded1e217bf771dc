import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { type PDFDict, PDFDocument, PDFName, PDFNull, PDFString } from 'pdf-lib'
import { fillPdf } from '../../protocol/compact-credentials/pdfs/fill.ts'
import { createPdfTemplate, signCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { archive, base64, config, faultsOf, makePdf, members, sendArchive, TEMPLATES } from '../support/pdf/passes.ts'
import { FONTS, templatePdf } from '../support/pdf/templates.ts'
import { type ZipEntry, zip } from '../support/pdf/zip.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let pdf: Uint8Array
test.before(async () => {
  world = await openWorld()
  pdf = await templatePdf()
})
test.after.always(() => world?.close())

const sendPdf = (file: Uint8Array, more: Record<string, unknown> = {}) =>
  world.ask(TEMPLATES, { token: world.token, body: members(file, more) })

const files = (): ZipEntry[] => [
  { name: 'template.pdf', content: pdf },
  { name: 'config.json', content: JSON.stringify(config()) },
]

const ZEROS = new Uint8Array(50 * 1_024 * 1_024)

const ARCHIVES: [what: string, entries: () => ZipEntry[], status: number, faults: string[]][] = [
  ['a path out of it', () => [...files(), { name: '../evil.ttf', content: 'x' }], 400, ['pdf_template.archive_invalid', ' pdf_template.zip']],
  ['an absolute name', () => [...files(), { name: '/etc/passwd', content: 'x' }], 400, ['pdf_template.archive_invalid', ' pdf_template.zip']],
  ['a backslash', () => [...files(), { name: 'fonts\\a.ttf', content: 'x' }], 400, ['pdf_template.archive_invalid', ' pdf_template.zip']],
  ['an unknown file', () => [...files(), { name: 'readme.md', content: 'x' }], 400, ['pdf_template.archive_invalid', '["readme.md"] pdf_template.unknown_file']],
  ['a file in a deeper folder', () => [...files(), { name: 'fonts/a/b.ttf', content: 'x' }], 400, ['pdf_template.archive_invalid', '["fonts/a/b.ttf"] pdf_template.unknown_file']],
  ['a file twice', () => [...files(), { name: 'template.pdf', content: pdf }], 400, ['pdf_template.archive_invalid', '["template.pdf"] pdf_template.twice']],
  ['a file twice in another case', () => [...files(), { name: 'Template.PDF', content: pdf }], 400, ['pdf_template.archive_invalid', '["Template.PDF"] pdf_template.twice']],
  ['a symbolic link', () => [...files(), { name: 'fonts/a.ttf', content: '/etc/passwd', mode: 0o120777 }], 400, ['pdf_template.archive_invalid', '["fonts/a.ttf"] pdf_template.symbolic_link']],
  ['an encrypted file', () => [{ name: 'template.pdf', content: pdf, encrypted: true }], 400, ['pdf_template.archive_invalid', '["template.pdf"] pdf_template.encrypted']],
  ['1,000 entries', () => Array.from({ length: 1_000 }, (_, at) => ({ name: `fonts/${at}.ttf`, content: '' })), 400, ['pdf_template.archive_invalid', ' pdf_template.entries']],
  ['50 MB declared', () => [...files(), { name: 'fonts/a.ttf', content: ZEROS }], 413, ['pdf_template.too_large', '["fonts/a.ttf"] pdf_template.bytes']],
  ['50 MB under the size of 1 kB', () => [...files(), { name: 'fonts/a.ttf', content: ZEROS, declared: 1_000 }], 400, ['pdf_template.archive_invalid', ' pdf_template.zip']],
  ['a PDF of 701 KiB', () => [{ name: 'template.pdf', content: new Uint8Array(701 * 1_024) }], 413, ['pdf_template.too_large', '["template.pdf"] pdf_template.bytes']],
  ['no PDF', () => files().slice(1), 400, ['pdf_template.archive_invalid', '["template.pdf"] pdf_template.missing_file']],
  ['no configuration', () => files().slice(0, 1), 400, ['pdf_template.archive_invalid', '["config.json"] pdf_template.missing_file']],
  ['a configuration that is no JSON', () => [...files().slice(0, 1), { name: 'config.json', content: '{' }], 400, ['pdf_template.archive_invalid', '["config.json"] pdf_template.json']],
  ['a member that config.json does not know', () => [...files().slice(0, 1), { name: 'config.json', content: JSON.stringify(config({ script: 'x' })) }], 400, ['pdf_template.invalid', '["config.json"].script pdf_template.unknown']],
  ['a font that nothing names', () => [...files(), { name: 'fonts/a.ttf', content: FONTS.latin }], 400, ['pdf_template.font_invalid', '["fonts/a.ttf"] pdf_template.font_unnamed']],
  ['a font that is absent', () => [...files().slice(0, 1), { name: 'config.json', content: JSON.stringify(config({ fonts: [{ name: 'a', fileName: 'a.ttf' }] })) }], 400, ['pdf_template.font_invalid', '["fonts/a.ttf"] pdf_template.font_missing']],
] // biome-ignore format: a table

for (const [what, entries, status, faults] of ARCHIVES)
  test(`an archive with ${what} is refused, with the file and the rule`, async (t) => {
    const reply = await sendArchive(world, zip(entries()))
    t.is(reply.status, status)
    t.deepEqual(faultsOf(reply), faults)
  })

test('what is no archive, or is cut off, is refused', async (t) => {
  const whole = archive(pdf)
  for (const raw of [new Uint8Array([1, 2, 3]), new Uint8Array(whole.slice(0, -30)), new Uint8Array(gzipSync('x'))])
    t.is(refusal(await sendArchive(world, raw), 400), 'pdf_template.archive_invalid')
  t.is(gunzipSync(gzipSync('x')).toString(), 'x')
  const large = await sendArchive(world, new Uint8Array(1_048_577))
  t.is(refusal(large, 413), 'request.too_large')
})

const set = (document: PDFDocument, name: string, value: object) =>
  document.catalog.set(PDFName.of(name), document.context.obj(value as never))

/** A PDF with another text in its objects. */
async function edited(file: Uint8Array, text: string, by: string): Promise<Uint8Array> {
  const plain = await (await PDFDocument.load(file)).save({ useObjectStreams: false })
  const changed = Buffer.from(plain).toString('latin1').replace(text, by)
  if (!changed.includes(by)) throw new Error(`the PDF has no ${text}`)
  return new Uint8Array(Buffer.from(changed, 'latin1'))
}

const script = { S: 'JavaScript', JS: PDFString.of('app.alert(1)') }

const PDFS: [what: string, make: () => Promise<Uint8Array>, fault: string][] = [
  ['JavaScript when it is opened', () => templatePdf({ change: (document) => set(document, 'OpenAction', script) }), 'active'],
  ['JavaScript by its name', () => templatePdf({ change: (document) => document.addJavaScript('main', 'app.alert(1)') }), 'active'],
  ['an embedded file', () => templatePdf({ change: (document) => document.attach(new Uint8Array([1]), 'a.exe') }), 'active'],
  ['an action that launches a program', () => templatePdf({ change: (document) => set(document, 'Extra', { A: { S: 'Launch', F: PDFString.of('cmd.exe') } }) }), 'active'],
  ['a launch that poses as a structure element', () => templatePdf({ change: (document) => set(document, 'Extra', { P: {}, S: 'Launch' }) }), 'active'],
  ['a name with escapes', () => templatePdf({ change: (document) => set(document, 'OpenAction', { 'S': 'Java#53cript' }) }), 'active'],
['an XFA form', async () => edited(await templatePdf(), '/Lang /en', '/XFA (x)'), 'active'],
  ['21 pages', () => templatePdf({ pages: 21 }), 'pages'],
  ['no button', () => templatePdf({ qr: 0 }), 'qr_code'],
  ['the button on page 2', () => templatePdf({ pages: 2, qrPage: 1 }), 'qr_code'],
  ['a button of 30 points', () => templatePdf({ qr: 30 }), 'qr_code_size'],
  ['a check box', () => templatePdf({ change: (document) => document.getForm().createCheckBox('Box').addToPage(document.getPage(0), {}) }), 'field_kind'],
  ['no bytes of one', async () => new TextEncoder().encode('hello'), 'broken'],
  ['only its beginning', async () => (await templatePdf()).slice(0, 300), 'broken'],
['objects that are broken', async () => edited(await templatePdf(), '/Type /Pages', '/Type << /Pages'), 'broken'],
] // biome-ignore format: a table

for (const [what, make, fault] of PDFS)
  test(`a PDF with ${what} is refused`, async (t) => {
    const reply = await sendPdf(await make())
    t.is(refusal(reply, 400), 'pdf_template.pdf_invalid')
    t.deepEqual(faultsOf(reply).slice(1), [`template_file pdf_template.${fault}`])
  })

/** A PDF with objects that its libraries read, and do not fill. */
async function misshapen(change: (document: PDFDocument) => void): Promise<Uint8Array> {
  const document = await PDFDocument.load(pdf)
  change(document)
  return document.save({ useObjectStreams: false, updateFieldAppearances: false })
}

const member = (document: PDFDocument, dict: PDFDict, name: string, value: unknown) =>
  dict.set(PDFName.of(name), document.context.obj(value as never))

const MISSHAPEN: [what: string, change: (document: PDFDocument) => void][] = [
  ...['Resources', 'Contents', 'Parent'].map((name): [string, (document: PDFDocument) => void] => [
    `a number as ${name} of its page`,
    (document) => member(document, document.getPage(0).node, name, 5),
  ]),
  ...['Font', 'XObject'].map((name): [string, (document: PDFDocument) => void] => [
    `a text as ${name} of its resources`,
    (document) => member(document, document.getPage(0).node, 'Resources', { [name]: PDFString.of('x') }),
  ]),
  ['a number as ViewerPreferences', (document) => member(document, document.catalog, 'ViewerPreferences', 5)],
  ['a text as flags of a field', (document) => member(document, document.getForm().getField('Course').acroField.dict, 'Ff', PDFString.of('x'))],
  ['pages that contain themselves', (document) => document.catalog.Pages().set(PDFName.of('Parent'), document.catalog.get(PDFName.of('Pages')) ?? PDFNull)],
] // biome-ignore format: a table

for (const [what, change] of MISSHAPEN)
  test(`a PDF with ${what} is refused when it is uploaded, and never an internal error (D-340)`, async (t) => {
    const file = await misshapen(change)
    const reply = await sendPdf(file)
    t.is(refusal(reply, 400), 'pdf_template.pdf_invalid')
    t.deepEqual(faultsOf(reply).slice(1), ['template_file pdf_template.broken'])
    const stored = { name: 'stored before', fileName: 'a.pdf', metadata: {}, fonts: [], fields: [{ key: 'Course', value: 'x', isRequired: false }] } // biome-ignore format: one line
    const credential = { profile: 'compact', encoded: 'CSC:/1/AAAA', decoded: {}, now: new Date() } as const
    const error = await t.throwsAsync(fillPdf({ template: stored, pdf: file, fonts: [], ...credential }))
    t.like(error, { code: 'pdf_template.pdf_invalid', errors: [{ path: 'templateId', code: 'pdf_template.broken' }] })
  })

const withLink = (target: string) =>
  templatePdf({
    change: (document) => {
      const action = { S: 'URI', URI: PDFString.of(target) }
      const link = document.context.obj({ Type: 'Annot', Subtype: 'Link', Rect: [0, 0, 9, 9], A: action })
      document.getPage(0).node.addAnnot(document.context.register(link))
    },
  })

test('a PDF may have links to https, http, mailto and tel, and to nothing else (D-340)', async (t) => {
  for (const target of [
    'https://university.example/',
    'HTTP://university.example/',
    'mailto:a@university.example',
    'tel:+1',
  ])
    t.is((await sendPdf(await withLink(target))).status, 200, target)
  for (const target of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'page.html',
    '',
  ])
    t.deepEqual(faultsOf(await sendPdf(await withLink(target))).slice(1), ['template_file pdf_template.active'], target)
})

test('a PDF that is encrypted is refused', async (t) => {
  const encrypted = await edited(pdf, '/Root 2 0 R', '/Root 2 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 >>')
  t.deepEqual(faultsOf(await sendPdf(encrypted)).slice(1), ['template_file pdf_template.encrypted'])
})

const edit = (file: Uint8Array, text: string, by: string) =>
  new Uint8Array(Buffer.from(Buffer.from(file).toString('latin1').replace(text, by), 'latin1'))

for (const [what, file] of [
  ['of 20 bytes', new Uint8Array(20)],
  ['that is cut off', FONTS.latin.slice(0, 3_000)],
  ['of zeros after its head', Buffer.concat([FONTS.latin.slice(0, 300), Buffer.alloc(40_000)])],
  ['without the table post', edit(FONTS.latin, 'post', 'xost')],
  ['that is text', new TextEncoder().encode('a font, but not really one')],
  ['of WOFF', Buffer.concat([Buffer.from('wOFF'), FONTS.latin.slice(4)])],
  ['collection', Buffer.concat([Buffer.from('ttcf'), FONTS.latin.slice(4)])],
] as const)
  test(`a font ${what} is refused`, async (t) => {
    const fonts = [{ name: 'a', file_name: 'a.ttf', file: base64(file) }]
    const reply = await sendPdf(pdf, { fonts })
    t.is(refusal(reply, 400), 'pdf_template.font_invalid')
    t.deepEqual(faultsOf(reply).slice(1), ['fonts.0.file pdf_template.font'])
  })

/** A PDF whose object stream inflates to so many megabytes. */
async function bomb(megabytes: number): Promise<Uint8Array> {
  const document = await PDFDocument.load(pdf)
  const stream = document.context.flateStream(new Uint8Array(megabytes * 1_024 * 1_024), {
    Type: 'ObjStm',
    N: 1,
    First: 0,
  })
  document.context.register(stream)
  return document.save({ useObjectStreams: false })
}

test('a PDF that inflates beyond the memory of a thread is refused, and the next one is made', async (t) => {
  t.timeout(180_000)
  const file = await bomb(400)
  t.true(file.length < 700 * 1_024, `${file.length} bytes`)
  const code = refusal(await sendPdf(file), 400)
  t.true(['pdf_template.too_complex', 'pdf_template.pdf_invalid'].includes(code), code)
  const id = await createPdfTemplate(world, members(pdf))
  const iss = await createDid(world, 'P-256')
  const { encoded } = await signCompact(world, { iss, property_set: { course: 'CS-101' } })
  t.is((await makePdf(world, id, encoded)).status, 200)
})

test('nested arrays end as a broken PDF', async (t) => {
  const nested = await edited(pdf, '/Lang /en', `/Lang ${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  t.deepEqual(faultsOf(await sendPdf(nested)).slice(1), ['template_file pdf_template.broken'])
})
