import { fileURLToPath } from 'node:url'
import test from 'ava'
import { run } from '../../stack/parts/run.ts'
import { watchIntrinsics } from '../support/frame/intrinsics.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Answer {
  attempts: Record<string, string>
  uses: Record<string, string>
}

async function answerOf(what: string): Promise<Answer> {
  const { output } = await run(process.execPath, [...process.execArgv, 'test/support/frame/fenced.ts', what], {
    cwd: root,
  })
  const [, json] = /^ANSWER (.*)$/m.exec(output) ?? []
  if (json === undefined) throw new Error(output)
  return JSON.parse(json) as Answer
}

for (const what of ['fence', 'api process', 'worker', 'document thread', 'BBS thread'])
  test(`${what}: what follows a name into a built-in fails there, and changes nothing (D-156)`, async (t) => {
    const { attempts, uses } = await answerOf(what)
    t.true(Object.keys(attempts).length > 10)
    for (const [name, outcome] of Object.entries(attempts)) t.is(outcome, 'TypeError', name)
    for (const [name, outcome] of Object.entries(uses)) t.is(outcome, 'true', name)
  })

test('without the fence each of these attempts succeeds: the test can fail', async (t) => {
  const { attempts } = await answerOf('nothing')
  const failed = Object.entries(attempts).filter(([, outcome]) => outcome === 'TypeError')
  t.deepEqual(
    failed.map(([name]) => name),
    ['the prototype of all objects'],
    'that one the language refuses by itself',
  )
})

test('the watch over built-ins sees what is added, replaced and hidden in them', (t) => {
  const changes = watchIntrinsics()
  t.deepEqual(changes(), [])
  const planted: [path: string, plant: () => () => void][] = [
    [
      'Object.prototype.@id',
      () => {
        Object.assign(Object.prototype, { '@id': 1 })
        return () => Reflect.deleteProperty(Object.prototype, '@id')
      },
    ],
    [
      'Map.prototype.get.call',
      () => {
        Object.assign(Map.prototype.get, { call: 1 })
        return () => Reflect.deleteProperty(Map.prototype.get, 'call')
      },
    ],
    [
      'JSON.parse',
      () => {
        const { parse } = JSON
        JSON.parse = () => 1
        return () => {
          JSON.parse = parse
        }
      },
    ],
  ]
  for (const [path, plant] of planted) {
    const mend = plant()
    const seen = changes()
    mend()
    t.is(seen.length, 1, `${path}: ${seen.join()}`)
    t.true(seen[0]?.endsWith(path.split('.').slice(-2).join('.')), `${path}: ${seen.join()}`)
    t.deepEqual(changes(), [])
  }
})
