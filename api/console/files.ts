import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'

export interface ConsoleFile {
  type: string
  bytes: Buffer
  gzipped: Buffer
  etag: string
}

export interface ConsoleFiles {
  page: ConsoleFile
  /** By their names, which have a hash of their content. */
  assets: ReadonlyMap<string, ConsoleFile>
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

function readFile(url: URL): ConsoleFile {
  const type = TYPES.get(extname(url.pathname))
  if (type === undefined) throw new Error(`The console has a file of a kind that is not served: ${url.pathname}`)
  const bytes = readFileSync(url)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  return { type, bytes, gzipped: gzipSync(bytes, { level: 9 }), etag }
}

/** The files that the build made of `console/`, in memory: they are few and small. */
export function readConsole(directory: URL): ConsoleFiles {
  const assets = new URL('assets/', directory)
  return {
    page: readFile(new URL('index.html', directory)),
    assets: new Map(readdirSync(assets).map((name) => [name, readFile(new URL(name, assets))])),
  }
}
