import { PDF_TEMPLATE_EXAMPLE } from '../api/compact-credentials/pdf.examples.ts'
import { CBOR_FORMATS } from './cbor.formats.ts'
import { startChild } from './child.ts'
import { SERIAL } from './formats.ts'
import type { PdfLoop } from './loops/pdf.ts'
import type { Measured } from './measure.ts'
import { sending, type Tools } from './prepare.ts'
import { type Row, table } from './report.ts'
import { inRounds } from './rounds.ts'

export const PDF = 'pdf'

/** Fills a template with the claims and the QR code of a compact credential, over HTTP beside pdf-lib. */
export async function measurePdfs(tools: Tools): Promise<Row> {
  const { platform, say } = tools
  const cwt = CBOR_FORMATS.find(({ name }) => name === 'cwt')
  if (!cwt) throw new Error('there is no format of compact credentials')
  const request = JSON.stringify({ ...(await cwt.prepare(platform)), revocable: false }).replace(SERIAL, '1')
  const { encoded } = await platform.post<{ encoded: string }>(cwt.path, JSON.parse(request))
  const { id } = await platform.post<{ id: string }>('/v1/credentials/compact/pdf/templates', PDF_TEMPLATE_EXAMPLE)
  const bodies = [JSON.stringify({ templateId: id, payload: encoded })]
  const loop = startChild<PdfLoop, Measured>('./loops/pdf.ts')
  try {
    const template = PDF_TEMPLATE_EXAMPLE.template_file
    const row = await inRounds(
      {
        format: PDF,
        verb: 'fill',
        plainly: (seconds) => loop.ask({ seconds, template, encoded }),
        ask: sending({ path: '/v1/credentials/compact/pdf', bodies, expected: '%PDF-' }, tools),
      },
      tools,
    )
    say(table([row]).split('\n').at(-1) ?? '')
    return row
  } finally {
    loop.stop()
  }
}
