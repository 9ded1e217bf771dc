import { dirname, join } from 'node:path/posix'
import { importsOf, type SourceFile } from './architecture.ts'

const LAYERS = ['api', 'workflows', 'activities', 'protocol', 'entities']

/**
 * Which other areas an area may use. The first four know no other one, but that the engine of credentials signs status
 * lists and sends notifications as DIDs; formats know DIDs and the engine.
 */
export const AREA_ARROWS: Record<string, readonly string[]> = {
  'tokens-logs': [],
  dids: [],
  domains: [],
  'claim-sources': ['credentials'],
  credentials: ['dids'],
  // a W3C credential may come as an SD-JWT
  'semantic-credentials': ['dids', 'credentials', 'sd-jwt-credentials', 'tokens-logs'],
  'compact-credentials': ['dids', 'credentials', 'tokens-logs'],
  'mobile-credentials': ['dids', 'credentials', 'tokens-logs'],
  'sd-jwt-credentials': ['dids', 'credentials', 'compact-credentials', 'mobile-credentials', 'tokens-logs'],
  'trust-lists': ['dids', 'credentials', 'mobile-credentials'],
  messaging: ['dids'],
  openid: [
    'dids',
    'credentials',
    'claim-sources',
    'mobile-credentials',
    'sd-jwt-credentials',
    'semantic-credentials',
    'tokens-logs',
    'webhooks',
  ],
  webhooks: [],
  administration: [
    'dids',
    'domains',
    'claim-sources',
    'compact-credentials',
    'credentials',
    'messaging',
    'mobile-credentials',
    'openid',
    'sd-jwt-credentials',
    'semantic-credentials',
    'tokens-logs',
    'trust-lists',
    'webhooks',
  ],
}

/** What composes areas: it may use all of them. */
const COMPOSED = [
  'api/app.ts',
  'api/server.process.ts',
  'activities/index.ts',
  'activities/dependencies.ts',
  'activities/worker.ts',
  'workflows/index.ts',
  'entities/orm.ts',
]

/** The area of a file, `frame` for what every area stands on, undefined for what composes areas or is outside of them. */
export function areaOf(path: string): string | undefined {
  const [layer = '', second = ''] = path.split('/')
  if (!LAYERS.includes(layer) || COMPOSED.includes(path)) return undefined
  const name = second.replace(/\..*$/, '')
  return name in AREA_ARROWS ? name : 'frame'
}

/** One sentence per import that goes from an area, or from the frame of the activities, to one that it may not know. */
export function wrongAreas(file: SourceFile): string[] {
  const from = areaOf(file.path)
  if (from === undefined) return []
  return importsOf(file).flatMap(({ specifier }) => {
    if (!specifier.startsWith('.')) return []
    const target = join(dirname(file.path), specifier)
    const to = areaOf(target)
    if (to === undefined || to === 'frame' || to === from) return []
    const frameMay = from === 'frame' && !(file.path.startsWith('activities/') && target.startsWith('activities/'))
    return frameMay || AREA_ARROWS[from]?.includes(to) ? [] : [`${file.path} uses ${to} (${specifier})`]
  })
}

/** Each circle of imports once, as the files that are in it. */
export function circlesOf(files: readonly SourceFile[]): string[][] {
  const paths = new Set(files.map(({ path }) => path))
  const uses = new Map(
    files.map((file) => {
      const targets = importsOf(file).map(({ specifier }) => join(dirname(file.path), specifier))
      return [file.path, targets.filter((target) => paths.has(target))] as const
    }),
  )
  const circles: string[][] = []
  const done = new Set<string>()
  const walk = (path: string, way: string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) circles.push(way.slice(at))
    if (at >= 0 || done.has(path)) return
    for (const target of uses.get(path) ?? []) walk(target, [...way, path])
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return circles
}

/** Folders with more files side by side than a reader takes in, each with their number. */
export function crowdedFolders(paths: readonly string[], most: number): string[] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].flatMap(([folder, count]) => (count > most ? [`${folder}: ${count}`] : []))
}
