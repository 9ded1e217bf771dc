import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { PDFDocument, PDFName } from 'pdf-lib'
import ts from 'typescript'
import { errorsAsCsv } from '../../../api/credentials/batches/files.ts'
import { withoutPadding } from '../../../protocol/base64url.ts'
import { dangerOf, dropUnused } from '../../../protocol/compact-credentials/pdfs/dangers.ts'
import { readPem } from '../../../protocol/mobile-credentials/certificates.read.ts'
import { makeForeignIaca } from '../../support/credentials/mobile.issuers.ts'
import { processorMs } from '../../support/parts/processor-time.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Found {
  place: string
  regex: RegExp
}

/** Every regular expression that stands in the sources of the product. */
function regexesOf(pattern: string): Found[] {
  const found: Found[] = []
  for (const path of globSync(pattern, { cwd: root })) {
    const source = ts.createSourceFile(path, readFileSync(`${root}/${path}`, 'utf8'), ts.ScriptTarget.Latest, true)
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/')
        const regex = new RegExp(node.text.slice(1, end), node.text.slice(end + 1))
        found.push({ place: `${path}: ${node.text}`, regex })
      }
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return found
}

const EVERYWHERE = ['0', 'a', 'A', '.', '=', ' ', '\t', '\n', '"', '[', '{', '\u00e9']

/** What may repeat in a text that a pattern reads: its own characters, and two of them in their order. */
function pumpsOf({ source }: RegExp): string[] {
  const plain = [...source.replaceAll(/\\[dwsbDWSB]/g, ' ').replaceAll(/[\\()|^$*+?]/g, '')]
  const pairs = plain.slice(1).map((character, at) => `${plain[at]}${character}`)
  return [...new Set([...EVERYWHERE, ...plain, ...pairs])]
}

/** What a pattern reads before anything repeats. */
const startOf = ({ source }: RegExp): string => /^[\w -]*/.exec(source.replace(/^\^?(?:\\s[*+])?/, ''))?.[0] ?? ''

/** The first is for patterns that take the cube, or worse. */
const TIMES = [1_000, 12_000] as const
/** A quadratic pattern takes 70 ms and more for so many; the processor of a busy machine halves nothing of it. */
const MOST_MS = 40

/** The first text that a pattern takes too long to read, as what repeats in it. */
function slowPump(regex: RegExp): string | undefined {
  for (const times of TIMES)
    for (const pump of pumpsOf(regex))
      for (const start of new Set(['', startOf(regex)])) {
        const text = `${start}${pump.repeat(times)}\0`
        const read = () => text.replace(regex, '')
        // once more, because the first read also compiles and may meet the collector
        if (processorMs(read) > MOST_MS && processorMs(read) > MOST_MS) return JSON.stringify(`${start}${pump}…`)
      }
  return undefined
}

test('no regular expression of the product takes time with the square of its text', (t) => {
  t.timeout(240_000)
  t.truthy(slowPump(/=+$/))
  t.truthy(slowPump(/^\s*-----BEGIN X-----\s+([a-z\s]+?)\s+-----END X-----$/))
  t.truthy(slowPump(/ <[^>]*> $/))
  const regexes = regexesOf('{api,protocol,activities,workflows,entities}/**/*.ts')
  t.true(regexes.length > 150)
  const slow = regexes.flatMap(({ place, regex }) => {
    const pump = slowPump(regex)
    return pump === undefined ? [] : [`${place} by ${pump}`]
  })
  t.deepEqual(slow, [])
})

test('a PEM that ends nowhere, and padding that is none, cost no time', async (t) => {
  const { certificatePem } = await makeForeignIaca()
  t.truthy(readPem(`\n ${certificatePem.replaceAll('\n', '\r\n')} \n`, 'x'))
  const malformed = { code: 'certificate.malformed' }
  for (const space of [' ', '\n', 'A', '='])
    for (const count of [3_000, 900_000]) {
      const pem = `-----BEGIN CERTIFICATE-----${space.repeat(count)}!`
      t.true(processorMs(() => t.throws(() => readPem(pem, 'x'), malformed)) < MOST_MS)
    }
  t.throws(() => readPem(certificatePem + certificatePem, 'x'), malformed)
  t.throws(() => readPem('-----BEGIN CERTIFICATE-----END CERTIFICATE-----', 'x'), malformed)
  t.true(processorMs(() => t.is(withoutPadding(`${'='.repeat(900_000)}x`).length, 900_001)) < MOST_MS)
  t.is(withoutPadding('=ab=='), '=ab')
})

test('a cell of a file of errors is no formula, however much white space it has', async (t) => {
  const cellOf = async (message: string): Promise<string> => {
    const pages = (async function* () {
      yield [{ row: 1, field: 'x', code: 'x', rule: 'x', message }]
    })()
    let text = ''
    for await (const part of errorsAsCsv(pages)) text += part
    return text
  }
  t.true((await cellOf('a\t "=1, "-2;x@')).includes(`a\t ""'=1, ""'-2;x@`))
  const text = '\t\v'.repeat(40_000)
  const before = process.threadCpuUsage().user
  t.true((await cellOf(text)).length > 80_000)
  t.true(process.threadCpuUsage().user - before < 100_000)
})

test('a list of 300,000 members in a PDF is looked through, and is no argument of a call', async (t) => {
  const document = await PDFDocument.create()
  const { context, catalog } = document
  catalog.set(PDFName.of('Many'), context.obj(Array(300_000).fill(0)))
  t.is(dangerOf(document), undefined)
  t.notThrows(() => dropUnused(document))
})
