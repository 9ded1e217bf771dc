import { COMPACT } from '../credentials/compact.ts'
import type { World } from '../world.ts'
import { zip } from './zip.ts'

export const TEMPLATES = `${COMPACT}/pdf/templates`

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** The members of a template as JSON. */
export const members = (pdf: Uint8Array, more: Record<string, unknown> = {}) => ({
  name: 'Course pass',
  file_name: 'course pass.pdf',
  metadata: { title: 'A course was passed' },
  fields: [{ key: 'Course', value: '{{ course }}' }],
  template_file: base64(pdf),
  ...more,
})

export const config = (more: Record<string, unknown> = {}) => ({
  name: 'Course pass',
  fileName: 'course pass.pdf',
  metadata: { title: 'A course was passed' },
  fonts: [],
  fields: [{ key: 'Course', value: '{{ course }}' }],
  ...more,
})

export const archive = (pdf: Uint8Array, settings: object = config(), fonts: Record<string, Uint8Array> = {}) =>
  zip([
    { name: 'template.pdf', content: pdf },
    { name: 'config.json', content: JSON.stringify(settings) },
    ...Object.entries(fonts).map(([name, content]) => ({ name: `fonts/${name}`, content })),
  ])

export const sendArchive = (world: World, raw: Uint8Array<ArrayBuffer>, path = '', method = 'POST') =>
  world.ask(`${TEMPLATES}${path}`, { token: world.token, raw, method, headers: { 'content-type': 'application/zip' } })

export interface MadePdf {
  status: number
  headers: Headers
  pdf: Uint8Array
  problem: { type?: string; errors?: { path: string; code: string; message: string }[] }
}

/** Asks for the PDF of a credential. */
export async function makePdf(
  world: World,
  templateId: string,
  payload: string,
  headers: Record<string, string> = {},
): Promise<MadePdf> {
  const response = await fetch(`${world.url}${COMPACT}/pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ templateId, payload }),
  })
  const pdf = new Uint8Array(await response.arrayBuffer())
  const problem = response.ok ? {} : (JSON.parse(Buffer.from(pdf).toString()) as MadePdf['problem'])
  return { status: response.status, headers: response.headers, pdf, problem }
}

/** The code of a problem, and those of its errors with their places. */
export const faultsOf = (reply: { text: string }) => {
  const { type = '', errors = [] } = JSON.parse(reply.text) as MadePdf['problem']
  return [type.replace('/problems#', ''), ...errors.map(({ path, code }) => `${path} ${code}`)]
}

export const codesOf = ({ problem: { type = '', errors = [] } }: MadePdf) => [
  type.replace('/problems#', ''),
  ...errors.map(({ code }) => code),
]
