import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { openWorld } from './support/world.ts'

const run = promisify(execFile)

/** The fenced blocks of one section, in order: what to type, and what is promised to come back. */
function blocksOf(markdown: string, section: string): { language: string; code: string }[] {
  const text = markdown.split(/^## /m).find((part) => part.startsWith(section))
  if (!text) throw new Error(`the README has no section ${section}`)
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

test('the README’s quick tour works word for word: token, DID, sign, verified, revoked, not verified', async (t) => {
  const world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'countersign-tour-'))
  try {
    await mkdir(join(folder, '.local'))
    await writeFile(join(folder, '.local/first-tenant.json'), JSON.stringify({ ...world.first, baseUrl: world.url }))
    const blocks = blocksOf(await readFile(new URL('../README.md', import.meta.url), 'utf8'), 'Quick tour')
    // between the blocks a mark, so that each promise meets the output of the block before it
    const script = blocks.map(({ language, code }) => (language === 'sh' ? `${code}\nprintf '\\036'\n` : '')).join('')
    const { stdout } = await run('bash', ['-euc', script], { cwd: folder })
    const outputs = stdout.split('\u001e')
    let typed = 0
    for (const { language, code } of blocks) {
      if (language === 'sh') typed++
      else t.is(outputs[typed - 1]?.trim(), code.trim())
    }
    t.is(typed, 6)
    t.regex(outputs[1] ?? '', /^did:key:z6Mk/)
    t.is(JSON.parse(outputs.at(-2) ?? '').data.length, 3)
  } finally {
    await world.close()
    await rm(folder, { recursive: true, force: true })
  }
})
