import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import { proseIgnorer } from '../../stack/mutants/ignorer.ts'
import { MODULES } from '../../stack/mutants/modules.ts'
import { scoreLine, scoreOf } from '../../stack/mutants/report.ts'
import { createProject } from '../support/stack/runner.ts'

type Results = Parameters<typeof scoreOf>[0]

const results = (...statuses: string[]) => statuses.map((status) => ({ status })) as Results

test('a score is the share of mutants found, of those that tests ran on or should have; ignored ones do not count', (t) => {
  const score = scoreOf(results('Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'Killed'))
  t.is(score.found, 3)
  t.deepEqual(
    score.missed.map(({ status }) => status),
    ['Survived', 'NoCoverage'],
  )
  t.is(scoreLine('outbox', score), 'outbox: 60 % of 5 mutants found')
  t.is(scoreOf([]).percent, 0)
})

for (const [name, { code, tests }] of Object.entries(MODULES))
  test(`the code and the tests of the module ${name} are where it says`, (t) => {
    for (const path of [...code, ...tests]) t.true(globSync(path).length > 0, path)
    t.is(new Set(tests).size, tests.length)
  })

test('texts for people are left alone; codes, names and SQL are not', (t) => {
  const ignores = (node: object) => proseIgnorer.shouldIgnore({ node }) !== undefined
  t.true(ignores({ type: 'StringLiteral', value: 'The token has expired.' }))
  t.true(ignores({ type: 'TemplateLiteral', quasis: [{ value: { raw: 'no scope ' } }, { value: { raw: '' } }] }))
  t.false(ignores({ type: 'StringLiteral', value: 'token.invalid' }))
  t.false(ignores({ type: 'StringLiteral', value: 'select id from dids' }))
  t.false(ignores({ type: 'BinaryExpression' }))
})

const CODE = `
export const LIMIT = 3
export const isOver = (count: number) => count > LIMIT
export const isUnder = (count: number) => count < LIMIT
export const isMade = (what: string) => what === 'made'
export function wait(turns: number) { let at = 0; while (at < turns) at++; return at }
`

const TESTS = `
import { isMade, isOver, isUnder, wait } from '../code.ts'
let ready = false
test.before(() => { ready = isMade('made') && !isMade('lost') })
test('over', (t) => { t.true(ready); t.true(isOver(4)); t.false(isOver(3)) })
test('under', (t) => t.true(isUnder(1)))
test('waits', (t) => t.is(wait(2), 2))
`

/** Comes by a mutant in a hook that tests of the other file come by and do not find. */
const HOOKED = `
import { isUnder } from '../code.ts'
test.before(() => { if (isUnder(3)) throw new Error('three is under three') })
test('nothing', (t) => t.pass())
`

const PLANT = (root: string) => `
import { mutantLine, scoreOf } from '${root}stack/mutants/report.ts'
import { plantMutants } from '${root}stack/mutants/run.ts'

const results = await plantMutants('sample', { code: ['code.ts'], tests: ['test/a.test.ts', 'test/b.test.ts'] })
for (const { status, replacement = '' } of results) console.log('= ' + status + ' ' + replacement)
console.log('= ' + scoreOf(results).percent)
`

test('mutants are planted one at a time: what a test notices is found, what none notices is missed', async (t) => {
  t.timeout(300_000)
  const root = new URL('../..', import.meta.url).pathname
  const project = createProject(t, { a: TESTS, b: HOOKED }, { more: { 'code.ts': CODE, 'plant.ts': PLANT(root) } })
  const { ended, lines } = project.script('plant.ts')
  t.is((await ended).code, 0, lines.join('\n'))
  const found = lines.filter((line) => line.startsWith('= ')).map((line) => line.slice(2))
  const of = (status: string) =>
    found.filter((line) => line.startsWith(status)).map((line) => line.slice(status.length + 1))
  t.deepEqual(of('Survived').toSorted(), ['count <= LIMIT', 'true'])
  t.true(of('Killed').includes('count >= LIMIT'))
  t.true(of('Killed').includes("what !== 'made'"), 'in a hook alone, which the whole file goes through')
  t.true([...of('Timeout'), ...of('Killed')].includes('at--'), 'a loop without end')
  t.regex(
    readFileSync(`${project.directory}/code.ts`, 'utf8'),
    /^\nexport const LIMIT = 3\n/,
    'the project is as it was',
  )
})
