import test from 'ava'
import { createDocumentPool } from '../../../activities/documents/pool.ts'
import { Refusal } from '../../../protocol/errors.ts'

const owner = {
  tenantId: 'content',
  lookup: () => Promise.reject(new Error('Markdown has no contexts')),
}

/** Delimiters of emphasis, of which the parser compares each with all that follow. */
const HOSTILE = ['_a__', '**a_', '_a*']

test('Markdown that takes too much work ends before two seconds of a thread, and honest Markdown is rendered', async (t) => {
  const pool = createDocumentPool({ threads: 1, kept: 1 })
  t.teardown(() => pool.close())
  const render = (input: string) => pool.run({ name: 'renderMarkdown', input, contexts: new Map() }, owner)
  const paragraph = `${'Some *emphasis*, some **more**, some_snake_case and [a link](https://a.example/). '.repeat(8)}\n\n`
  t.true((await render(paragraph.repeat(150))).length > 90_000)
  for (const part of HOSTILE) {
    const before = process.cpuUsage()
    const refusal = await t.throwsAsync<Refusal>(render(part.repeat(100_000 / part.length)), { instanceOf: Refusal })
    const { user, system } = process.cpuUsage(before)
    t.is(refusal?.code, 'content.too_complex', part)
    t.true(user + system < 2_000_000, `${part}: ${(user + system) / 1000} ms`)
    t.is(await render('a'), '<p>a</p>\n') // the next thread
  }
})
