import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VECTORS } from '../../../stack/tests/parts.ts'
import { needs } from '../parts.ts'

/** Declares a test that reads the conformance vectors beside the repository. */
export const withVectors = needs('conformance vectors')

export const vectorText = (path: string): string => readFileSync(join(VECTORS, path), 'utf8').trim()
export const vectorJson = <T = Record<string, unknown>>(path: string): T => JSON.parse(vectorText(path)) as T
export const vectorFiles = (path: string): string[] =>
  readdirSync(join(VECTORS, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `${path}/${name}`)
