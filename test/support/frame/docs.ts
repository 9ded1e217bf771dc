import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { World } from '../world.ts'

const run = promisify(execFile)

export interface Block {
  language: string
  code: string
}

/** Of what a shell was told, one block after the other, each with what it printed. */
export type Typed = Block & { printed: string; promised?: string }

const root = fileURLToPath(new URL('../../..', import.meta.url))

const read = (name: string) => readFile(join(root, name), 'utf8')

/** What the project's folder has. */
const OURS = ['.local', 'node_modules', 'package.json', 'stack']

/** npm's scripts, which run the programs of this project from a folder elsewhere; and its own program. */
async function packageJson(): Promise<string> {
  const { name, bin, scripts } = JSON.parse(await read('package.json')) as {
    name: string
    bin: object
    scripts: Record<string, string>
  }
  const here = Object.entries(scripts).map(([name, script]) => [name, script.replaceAll(' stack/', ` ${root}stack/`)])
  return JSON.stringify({ name, bin, private: true, scripts: Object.fromEntries(here) })
}

/** As the platform's processes have it, for the commands of an operator. */
const environmentOf = ({ config }: World) => ({
  ...process.env,
  DATABASE_URL: config.database.url,
  KEY_STORE_MASTER_KEY: Buffer.from(config.masterKey).toString('base64'),
  PUBLIC_URL: config.publicUrl.origin,
})

/** The fenced blocks of a document, or of one section: what to type, and what is promised to come back. */
export async function blocksOf(name: string, section?: string): Promise<Block[]> {
  const markdown = await read(name)
  const text = section === undefined ? markdown : markdown.split(/^## /m).find((part) => part.startsWith(section))
  if (!text) throw new Error(`${name} has no section ${section}`)
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }))
}

/**
 * Types the blocks of language `sh` into one shell, in a folder where the world is the platform that `npm start` brought
 * up. What follows in another language is what the block before promises. Throws where a block fails, or writes a file that
 * git does not ignore.
 */
export async function type(world: World, blocks: Block[]): Promise<Typed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-docs-'))
  try {
    await mkdir(join(folder, '.local'))
    const mails = world.config.mail?.directory
    if (mails) await symlink(mails, join(folder, '.local/mail'))
    await writeFile(join(folder, 'package.json'), await packageJson())
    for (const name of ['node_modules', 'stack']) await symlink(join(root, name), join(folder, name))
    await writeFile(join(folder, '.local/first-tenant.json'), JSON.stringify({ ...world.first, baseUrl: world.url }))
    const commands = blocks.filter(({ language }) => language === 'sh')
    // between the blocks a mark, so that each promise meets the output of the block before it
    const script = commands.map(({ code }) => `${code}\nprintf '\\036'\n`).join('')
    const { stdout } = await run('bash', ['-euc', script], {
      cwd: folder,
      env: environmentOf(world),
      maxBuffer: 16 * 1024 * 1024,
    })
    const written = (await readdir(folder)).filter((name) => !OURS.includes(name))
    if (written.length > 0) throw new Error(`the blocks write into the project's folder: ${written.join(', ')}`)
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

/** Types a document's blocks, or those of a section, after the quick tour's shorthands and its DID. */
export async function typeDocument(
  world: World,
  name: string,
  { section, edit = (code) => code }: { section?: string; edit?: (code: string) => string } = {},
): Promise<Typed[]> {
  const [shorthands, did] = await blocksOf('README.md', 'Quick tour')
  if (!shorthands || !did) throw new Error('the quick tour does not begin as it did')
  const blocks = (await blocksOf(name, section)).map((block) => ({ ...block, code: edit(block.code) }))
  return (await type(world, [shorthands, did, ...blocks])).slice(2)
}

/** Whether a promise was kept: word for word, but for `…`, which stands for what is different each time. */
export function isKept({ printed, promised = '' }: Typed): boolean {
  const words = promised.split('…').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return new RegExp(`^${words.join('[^\\n]+')}$`).test(printed)
}
