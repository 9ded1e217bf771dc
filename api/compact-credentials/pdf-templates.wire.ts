import type { PdfTemplateUpload, StoredPdfTemplate } from '../../activities/compact-credentials/pdf-templates.ts'
import { Refusal, within } from '../../protocol/errors.ts'
import type { Count, Uuid } from '../frame/wire.ts'

/** One line of text. */
export type PdfName = string

/** Bytes in base64 (RFC 4648, section 4). */
export type PdfBytes = string

/** Name under which a PDF is saved; `.pdf` is added where it has none. */
export type PdfFileName = string

/** File of a font, such as Regular.ttf. */
export type PdfFontFile = string

/** Text with claims: {{ name }}, and {{ date expiry 'dd MMM yyyy' }} for dates. */
export type PdfValue = string

/** Title, author, subject and keywords of the PDF. */
export interface PdfMetadata {
  [name: string]: PdfName
}

/** A TrueType or OpenType font. */
export interface PdfFontIn {
  name: PdfName
  file_name: PdfFontFile
  /** The font. A change may leave it out: the stored font of this file name then stays. */
  file?: PdfBytes | null
}

export interface PdfFieldIn {
  /** Name of a text field of the PDF; qrCode: the button, of which only the alternative text counts. */
  key: PdfName
  value?: PdfValue | null
  /** Whether a PDF is refused when a claim of the value is absent. Default: false. */
  is_required?: boolean | null
  /** What assistive software reads. */
  alternative_text?: PdfName | null
  /** One of fonts, for characters that it has. Default: the first one. */
  font_name?: PdfName | null
}

export interface PdfTemplateIn {
  name: PdfName
  file_name: PdfFileName
  metadata?: PdfMetadata | null
  /**
   * Without fonts Helvetica shows the characters of Windows code page 1252. A change without this member keeps the stored ones.
   * @maxItems 10
   */
  fonts?: PdfFontIn[] | null
  /**
   * One for each text field of the PDF.
   * @maxItems 200
   */
  fields: PdfFieldIn[]
  /** The PDF, at most 700 KiB, with a button qrCode on page 1. A change may leave it out: the stored PDF then stays. */
  template_file?: PdfBytes | null
}

/** A template with its PDF and fonts. */
export interface PdfTemplateNewIn extends PdfTemplateIn {}

interface PdfFontOut {
  name: PdfName
  file_name: PdfFontFile
}

interface PdfFieldOut {
  key: PdfName
  value: PdfValue
  is_required: boolean
  alternative_text?: PdfName
  font_name?: PdfName
}

export interface PdfTemplateOut {
  id: Uuid
  name: PdfName
  file_name: PdfFileName
  metadata: PdfMetadata
  fonts: PdfFontOut[]
  fields: PdfFieldOut[]
}

export interface PdfTemplatePageOut {
  data: PdfTemplateOut[]
  limit: Count
  total_count: Count
  total_pages: Count
}

export interface PdfIn {
  templateId: Uuid
  /** The credential as text, of either kind. */
  payload: string
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

function bytesOf(text: string, path: string): Uint8Array {
  if (BASE64.test(text) && text.length % 4 === 0) return new Uint8Array(Buffer.from(text, 'base64'))
  throw new Refusal('request.invalid', 'A file is not in base64; see errors.', [
    { path, code: 'base64', message: 'expected base64 with padding (RFC 4648, section 4)' },
  ])
}

/** The template of a request: members, or the archive that came in their place. */
export function toUpload(body: PdfTemplateIn | undefined, rawBody: Buffer): PdfTemplateUpload {
  if (!body && rawBody.length > 0) return { zip: new Uint8Array(rawBody) }
  if (!body)
    throw new Refusal('request.invalid', 'The request has no body; see errors.', [
      { path: '', code: 'required', message: 'expected a template as application/json or application/zip' },
    ])
  const { template_file: file, fonts, ...members } = body
  const sent = (fonts ?? []).flatMap(({ file_name: name, file: text }, at): [string, Uint8Array][] =>
    text ? [[name, bytesOf(text, within('fonts', at, 'file'))]] : [],
  )
  return {
    members: { ...members, ...(fonts && { fonts: fonts.map(({ name, file_name }) => ({ name, file_name })) }) },
    pdf: file ? bytesOf(file, 'template_file') : undefined,
    fonts: new Map(sent),
  }
}

export const pdfTemplateToWire = ({ id, template }: StoredPdfTemplate): PdfTemplateOut => ({
  id,
  name: template.name,
  file_name: template.fileName,
  metadata: template.metadata,
  fonts: template.fonts.map(({ name, fileName }) => ({ name, file_name: fileName })),
  fields: template.fields.map(({ key, value, isRequired, alternativeText, fontName }) => ({
    key,
    value,
    is_required: isRequired,
    ...(alternativeText !== undefined && { alternative_text: alternativeText }),
    ...(fontName !== undefined && { font_name: fontName }),
  })),
})
