import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestFn } from 'ava'

/** The conformance vectors beside the repository; a checkout without them skips the tests that read them. */
const folder = new URL('../../../shared/vectors/', import.meta.url)

export const hasVectors = existsSync(folder)

export const vectorText = (path: string): string => readFileSync(new URL(path, folder), 'utf8').trim()
export const vectorJson = <T = Record<string, unknown>>(path: string): T => JSON.parse(vectorText(path)) as T
export const vectorFiles = (path: string): string[] =>
  readdirSync(fileURLToPath(new URL(path, folder)), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `${path}/${name}`)

/** `test`, or `test.skip` (which ava counts) where the vectors are absent. */
export const withVectors = (test: TestFn) => (hasVectors ? test : test.skip)
