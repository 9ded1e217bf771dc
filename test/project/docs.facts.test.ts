import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { statusOf } from '../../api/frame/problems.ts'
import { bundledContexts } from '../../protocol/contexts/bundled.ts'
import { OPERATIONS, type OperationFacts } from '../../protocol/operations.ts'
import {
  CREDENTIAL_PROOF_TYPES,
  credentialKeyFor,
  listProofType,
} from '../../protocol/semantic-credentials/proof-types.ts'
import { ALL_SCOPES } from '../../protocol/tokens-logs/index.ts'
import { operations } from '../support/frame/openapi.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]

test('docs/access.md lists every scope, and says of each without an operation that it permits nothing yet', (t) => {
  const rows = [...read('docs/access.md').matchAll(/^\| `(\S+:(?:read|write))` \| (.*) \|$/gm)]
  t.deepEqual(
    rows.map(([, scope]) => scope),
    [...ALL_SCOPES],
  )
  // public reads of content show more to an operator
  const used = new Set([...Object.values<OperationFacts>(OPERATIONS).map(({ scope }) => scope), 'platform:read'])
  for (const scope of ALL_SCOPES) {
    const permits = rows.find(([, name]) => name === scope)?.[2]
    t.is(permits === 'nothing yet', !used.has(scope), scope)
  }
})

test('docs/contexts.md lists the contexts that are part of the program, and no other', (t) => {
  const [, list = ''] = /are part of the program.*?```text\n(.*?)```/s.exec(read('docs/contexts.md')) ?? []
  t.deepEqual(list.trim().split('\n').sort(), [...bundledContexts.keys()].sort())
})

test('every code that docs/errors.md names is a problem of the platform, with the status that it says', (t) => {
  const rows = [...read('docs/errors.md').matchAll(/^\| (\d{3})(?: `([a-z_.]+)`)?.*$/gm)]
  const named = rows.flatMap(([row = '', status = '']) =>
    [...row.matchAll(/`((?!errors|payload)[a-z_]+\.[a-z_]+)`/g)].map(([, code = '']) => ({ status, code })),
  )
  t.true(named.length >= 6)
  for (const { status, code } of named) t.is(String(statusOf(code)), status, code)
})

test('docs/status-lists.md names every proof type whose status lists are never JWTs', (t) => {
  const [, list = ''] = /every proof type but (.*?), whose keys make no JWT/.exec(read('docs/status-lists.md')) ?? []
  const never = CREDENTIAL_PROOF_TYPES.filter((proofType) =>
    credentialKeyFor(proofType).keyTypes.every(
      (keyType) => listProofType(proofType, { keyType, isEnveloped: true }) !== 'vc+jwt',
    ),
  )
  t.deepEqual([...list.matchAll(/`(.*?)`/g)].map(([, name]) => name).sort(), [...never].sort())
})

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

test('every link of README, CONTRIBUTING and docs leads to a file, and to a heading in it', (t) => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, path = '', anchor]) => {
      const file = path ? join(dirname(page), path) : page
      if (!existsSync(join(root, file))) return [`${page}: ${link}`]
      const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
      return anchor === undefined || headings.includes(anchor) ? [] : [`${page}: ${link}`]
    }),
  )
  t.deepEqual(broken, [])
})

test('README links every page of docs', (t) => {
  const readme = read('README.md')
  t.deepEqual(
    globSync('docs/*.md', { cwd: root }).filter((page) => !readme.includes(`(${page}`)),
    [],
  )
})

test('the hooks of docs/schemathesis name operations of the API document, in their tables and on the page', (t) => {
  const ids = new Set(operations.map(({ operationId }) => operationId))
  const named = ['administration', 'bodies', 'exchange', 'paths'].flatMap((file) =>
    [...read(`docs/schemathesis/${file}.py`).matchAll(/^ {4}"([a-z]\w+)": /gm)].map(([, name = '']) => name),
  )
  t.true(named.length > 80, 'the tables are found')
  const [, table = ''] = /what the hooks write \|\n(.*?)\n\n/s.exec(read('docs/conformance.md')) ?? []
  const shown = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, names = '']) => names.split(', '))
  const words = shown.filter((name) => /^[a-z]+[A-Z]\w*$/.test(name))
  t.true(words.length > 30, 'the rows of the page are found')
  t.deepEqual(
    [...named, ...words].filter((name) => !ids.has(name)),
    [],
  )
})
