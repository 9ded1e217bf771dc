import test from 'ava'
import { createDocuments } from '../../activities/documents/index.ts'
import { Refusal } from '../../protocol/errors.ts'
import { createPdfTemplate, signCompact } from '../support/credentials/compact.ts'
import { createDid } from '../support/credentials/credentials.ts'
import { refusal } from '../support/credentials/templates.ts'
import { longestTurn } from '../support/parts/processor-time.ts'
import { base64, faultsOf, makePdf, members, TEMPLATES } from '../support/pdf/passes.ts'
import { FONTS, templatePdf } from '../support/pdf/templates.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

test.serial('no turn of the event loop takes 50 ms while 40 PDFs are made and 10 templates are read', async (t) => {
  t.timeout(240_000)
  const fonts = Object.entries(FONTS).map(([name, bytes]) => ({ name, file_name: `${name}.ttf`, file: base64(bytes) }))
  const template = members(await templatePdf(), { fonts })
  const id = await createPdfTemplate(world, template)
  const iss = await createDid(world, 'P-256')
  const { encoded } = await signCompact(world, { iss, property_set: { course: 'إتمام 李明 CS-101' } })
  t.is((await makePdf(world, id, encoded)).status, 200)
  const work = async () => {
    const made = Array.from({ length: 40 }, async () => (await makePdf(world, id, encoded)).status)
    await Promise.all(Array.from({ length: 10 }, () => createPdfTemplate(world, template)))
    t.deepEqual(new Set(await Promise.all(made)), new Set([200]))
  }
  t.true((await longestTurn(t, work)) < 50)
})

test.serial('a PDF that takes more time than a thread may work is refused as too complex', async (t) => {
  // its thread is ended while it loads a module, and would keep the process of this file running (threads/ending.ts)
  const documents = createDocuments({ threads: 2, timeoutMs: 1 })
  t.teardown(() => documents.close())
  const { template_file: _file, ...rest } = members(await templatePdf())
  const upload = { members: rest, pdf: await templatePdf({ pages: 20 }), fonts: new Map() }
  const owner = { tenantId: 'tenant', lookup: () => undefined }
  // the first one loads the libraries, which takes longer than the first look at the thread
  const error = await t.throwsAsync(documents.readPdfTemplate(upload, owner))
  t.true(error instanceof Refusal && error.code === 'pdf_template.too_complex', String(error))
})

test.serial(
  '8,000 members that no operation has are refused by the first of them, and hold nobody up (D-321)',
  async (t) => {
    const unknown = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`unknown_${at}`, 1]))
    const body = members(new Uint8Array(3), { fields: Array.from({ length: 200 }, () => unknown) })
    const send = () => world.ask(TEMPLATES, { token: world.token, body })
    const reply = await send()
    t.is(refusal(reply, 400), 'request.invalid')
    t.is(faultsOf(reply).slice(1).length, 50)
    t.true((await longestTurn(t, async () => void (await send()), 100)) < 100) // it was 540 ms
  },
)
