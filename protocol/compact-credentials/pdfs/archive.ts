import type { Readable } from 'node:stream'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { Refusal, within } from '../../errors.ts'
import { parseJson } from '../../json.strict.ts'
import { CONFIG_FILE, FONT_FOLDER, MAX_FONTS, PDF_FILE } from './template.ts'

/** The files of a template; fonts by their names. */
export interface TemplateFiles {
  pdf: Uint8Array
  fonts: Map<string, Uint8Array>
}

export const MAX_PDF_BYTES = 700 * 1_024
export const MAX_FONT_BYTES = 4 * 1_024 * 1_024
/** All files of a template together, which is what the database keeps of one. */
export const MAX_ALL_BYTES = 6 * 1_024 * 1_024
const MAX_CONFIG_BYTES = 512 * 1_024
/** PDF, configuration, fonts, and the entry of the folder. */
const MAX_ENTRIES = MAX_FONTS + 3

const FILE_TYPE = 0o170000
const SYMBOLIC_LINK = 0o120000
const REGULAR = [0, 0o100000]

export const tooLarge = (file: string, most: number): Refusal =>
  new Refusal('pdf_template.too_large', 'A file of the template is too large; see errors.', [
    { path: within('', file), code: 'pdf_template.bytes', message: `expected at most ${most} bytes` },
  ])

const refuse = (file: string, rule: string, expected: string, cause?: unknown): Refusal =>
  new Refusal(
    'pdf_template.archive_invalid',
    'The archive cannot be read; see errors.',
    [{ path: file === '' ? '' : within('', file.slice(0, 255)), code: `pdf_template.${rule}`, message: expected }],
    { cause },
  )

const limitOf = (name: string): number | undefined => {
  if (name === PDF_FILE) return MAX_PDF_BYTES
  if (name === CONFIG_FILE) return MAX_CONFIG_BYTES
  return name.startsWith(FONT_FOLDER) && !name.slice(FONT_FOLDER.length).includes('/') ? MAX_FONT_BYTES : undefined
}

/** Throws unless an entry is one of the files of a template, within its bounds; returns false for the folder. */
function assertEntry(entry: Entry, seen: Set<string>): boolean {
  const { fileName: name, externalFileAttributes, uncompressedSize } = entry
  const mode = (externalFileAttributes >>> 16) & FILE_TYPE
  if (seen.has(name.toLowerCase())) throw refuse(name, 'twice', 'expected each file once')
  seen.add(name.toLowerCase())
  if (name === FONT_FOLDER && uncompressedSize === 0) return false
  if (mode === SYMBOLIC_LINK) throw refuse(name, 'symbolic_link', 'expected no symbolic link')
  const limit = limitOf(name)
  if (limit === undefined || name === FONT_FOLDER || !REGULAR.includes(mode))
    throw refuse(name, 'unknown_file', `expected ${PDF_FILE}, ${CONFIG_FILE} and files in ${FONT_FOLDER}`)
  if (entry.isEncrypted()) throw refuse(name, 'encrypted', 'expected a file without encryption')
  if (!entry.canDecodeFileData()) throw refuse(name, 'compression', 'expected the method deflate or store')
  if (uncompressedSize > limit) throw tooLarge(name, limit)
  return true
}

const open = (zip: Uint8Array): Promise<ZipFile> =>
  new Promise((resolve, reject) => {
    // names are checked by yauzl: absolute ones, `..` and backslashes; sizes against what an entry inflates to
    const options = { lazyEntries: true, validateEntrySizes: true, decodeStrings: true, strictFileNames: true } as const
    fromBuffer(Buffer.from(zip), options, (error, file) => (error ? reject(error) : resolve(file)))
  })

const streamOf = (file: ZipFile, entry: Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    file.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)))
  })

const nextEntry = (file: ZipFile): Promise<Entry | undefined> =>
  new Promise((resolve, reject) => {
    const done = (settle: () => void) => () => {
      file.removeAllListeners()
      settle()
    }
    file.once('entry', (entry: Entry) => done(() => resolve(entry))())
    file.once(
      'end',
      done(() => resolve(undefined)),
    )
    file.once('error', (error: Error) => done(() => reject(error))())
    file.readEntry()
  })

async function inflate(file: ZipFile, entry: Entry): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of await streamOf(file, entry)) parts.push(part as Buffer)
  return new Uint8Array(Buffer.concat(parts))
}

function configOf(bytes: Uint8Array | undefined): unknown {
  if (!bytes) throw refuse(CONFIG_FILE, 'missing_file', `expected the file ${CONFIG_FILE}`)
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw refuse(CONFIG_FILE, 'json', 'expected JSON in UTF-8', error)
  }
}

/** Reads each file; the declared sizes bound what is inflated. */
async function filesOf(file: ZipFile): Promise<Map<string, Uint8Array>> {
  if (file.entryCount > MAX_ENTRIES) throw refuse('', 'entries', `expected at most ${MAX_ENTRIES} entries`)
  const files = new Map<string, Uint8Array>()
  const seen = new Set<string>()
  let bytes = 0
  for (let entry = await nextEntry(file); entry; entry = await nextEntry(file)) {
    if (!assertEntry(entry, seen)) continue
    bytes += entry.uncompressedSize
    if (bytes > MAX_ALL_BYTES) throw tooLarge(entry.fileName, MAX_ALL_BYTES)
    files.set(entry.fileName, await inflate(file, entry))
  }
  return files
}

/**
 * Reads the archive of a template: `template.pdf`, `config.json` and fonts. Throws `pdf_template.archive_invalid` and
 * `pdf_template.too_large`, which name the file and its rule.
 */
export async function readArchive(zip: Uint8Array): Promise<TemplateFiles & { config: unknown }> {
  let files: Map<string, Uint8Array>
  try {
    files = await filesOf(await open(zip))
  } catch (error) {
    if (error instanceof Refusal) throw error
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'not readable'
    throw refuse('', 'zip', `expected a ZIP archive with safe names and true sizes (${reason})`, error)
  }
  const pdf = files.get(PDF_FILE)
  if (!pdf) throw refuse(PDF_FILE, 'missing_file', `expected the file ${PDF_FILE}`)
  const fonts = [...files].flatMap(([name, bytes]): [string, Uint8Array][] =>
    name.startsWith(FONT_FOLDER) ? [[name.slice(FONT_FOLDER.length), bytes]] : [],
  )
  return { config: configOf(files.get(CONFIG_FILE)), pdf, fonts: new Map(fonts) }
}
