import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { World } from '../world.ts'

const run = promisify(execFile)

export interface Block {
  language: string
  code: string
}

/** Of what a shell was told, one block after the other, each with what it printed. */
export type Typed = Block & { printed: string; promised?: string }

const read = (name: string) => readFile(new URL(`../../../${name}`, import.meta.url), 'utf8')

/** The fenced blocks of a document, or of one section: what to type, and what is promised to come back. */
export async function blocksOf(name: string, section?: string): Promise<Block[]> {
  const markdown = await read(name)
  const text = section === undefined ? markdown : markdown.split(/^## /m).find((part) => part.startsWith(section))
  if (!text) throw new Error(`${name} has no section ${section}`)
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

/**
 * Types the blocks of language `sh` into one shell, in a folder where the world is the platform that `npm start` brought
 * up. What follows in another language is what the block before promises. Throws where a block fails.
 */
export async function type(world: World, blocks: Block[]): Promise<Typed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-docs-'))
  try {
    await mkdir(join(folder, '.local'))
    await writeFile(join(folder, '.local/first-tenant.json'), JSON.stringify({ ...world.first, baseUrl: world.url }))
    const commands = blocks.filter(({ language }) => language === 'sh')
    // between the blocks a mark, so that each promise meets the output of the block before it
    const script = commands.map(({ code }) => `${code}\nprintf '\\036'\n`).join('')
    const { stdout } = await run('bash', ['-euc', script], { cwd: folder, maxBuffer: 16 * 1024 * 1024 })
    const printed = stdout.split('\u001e')
    return commands.map((block, at) => {
      const next = blocks[blocks.indexOf(block) + 1]
      const promised = next && next.language !== 'sh' ? { promised: next.code.trim() } : {}
      return { ...block, printed: printed[at]?.trim() ?? '', ...promised }
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether a promise was kept: word for word, but for `…`, which stands for what is different each time. */
export function isKept({ printed, promised = '' }: Typed): boolean {
  const words = promised.split('…').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return new RegExp(`^${words.join('[^\\n]+')}$`).test(printed)
}
