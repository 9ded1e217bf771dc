import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { GeneratedOpenApi } from '../../api/frame/openapi/generated.ts'
import { completeOpenApi } from '../../api/frame/openapi/index.ts'
import { buildAll } from '../build.ts'
import { asCommand } from '../command.ts'
import type { Say } from '../local/progress.ts'
import { collectionOf, type PublishedDocument } from './collection.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Generated; git ignores it, as it does the types beside it. */
const target = join(root, 'client', 'countersign.postman_collection.json')

/** Writes the collection of the document that the API serves; its path. */
export async function buildCollection(say: Say): Promise<string> {
  await buildAll(say)
  const generated = JSON.parse(readFileSync(join(root, 'build', 'openapi.json'), 'utf8')) as GeneratedOpenApi
  const document = completeOpenApi(generated) as unknown as PublishedDocument
  writeFileSync(`${target}.new`, `${JSON.stringify(collectionOf(document), null, 2)}\n`)
  renameSync(`${target}.new`, target)
  return target
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await asCommand(async () => console.log(`The collection is ${await buildCollection(console.log)}`))
