import test from 'ava'
import { blocksOf, type } from '../support/frame/docs.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
test.before(async () => {
  world = await openWorld()
})
test.after.always(() => world?.close())

const ANSWERS = `
api /v1/dids -d '{"method":"KEY","options":{"keyType":"rsa"}}' > refused.json
field .did < refused.json 2> why.txt || echo "exit $?"
cat why.txt
field .type < refused.json 2> why.txt
for TEXT in 'Bad Gateway' ''; do printf "$TEXT" | field .did 2>&1 || echo "exit $?"; done
echo '{"reason":[]}' | field .reason[0].type
`

test.serial(
  'field of the README names each wrong field, ends with 1 without a value, and says what is no JSON',
  async (t) => {
    const [shorthands] = await blocksOf('README.md', 'Quick tour')
    if (!shorthands) return t.fail('the quick tour begins with shorthands')
    const [, typed] = await type(world, [shorthands, { language: 'sh', code: ANSWERS }])
    const lines = typed?.printed.split('\n') ?? []
    t.is(lines[0], 'exit 1')
    t.true(lines.some((line) => line.startsWith('- options.keyType: ')))
    t.deepEqual(lines.slice(-6), [
      '/problems#did.key_type_unsupported',
      'The answer is not JSON: Bad Gateway',
      'exit 1',
      'The answer is not JSON: it is empty',
      'exit 1',
      'undefined',
    ])
  },
)

test.serial(
  'the README’s quick tour works word for word: token, DID, sign, verified, revoked, not verified',
  async (t) => {
    const typed = await type(world, await blocksOf('README.md', 'Quick tour'))
    for (const { printed, promised } of typed) if (promised !== undefined) t.is(printed, promised)
    t.is(typed.length, 6)
    t.regex(typed[1]?.printed ?? '', /^did:key:z6Mk/)
    t.is(JSON.parse(typed.at(-1)?.printed ?? '').data.length, 3)
  },
)
