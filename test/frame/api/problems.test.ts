import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import ts from 'typescript'
import { completeOpenApi } from '../../../api/frame/openapi/index.ts'
import type { OpenApi } from '../../../api/frame/openapi/paths.ts'
import { PROBLEMS, statusOf } from '../../../api/frame/problems.ts'
import { VARIABLES } from '../../../config.variables.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const files = globSync('{api,activities,protocol}/**/*.ts', { cwd: root, exclude: ['**/*.d.ts'] })

type Constructed = { code: string } | { unclear: string }

const literal = (node: ts.Node | undefined): string | undefined =>
  node && ts.isStringLiteralLike(node) ? node.text : undefined

const walk = (node: ts.Node, visit: (node: ts.Node) => void): void => {
  visit(node)
  node.forEachChild((child) => walk(child, visit))
}

/** The named function or method around a node: where a code that is no literal came in as an argument. */
function makerAround(node: ts.Node): string | undefined {
  for (let at: ts.Node | undefined = node.parent; at; at = at.parent) {
    if (ts.isFunctionDeclaration(at)) return at.name?.text
    if (ts.isVariableDeclaration(at) && ts.isIdentifier(at.name)) return at.name.text
  }
  return undefined
}

const trees = files.map((path) => ({
  path,
  tree: ts.createSourceFile(path, readFileSync(`${root}/${path}`, 'utf8'), ts.ScriptTarget.Latest, true),
}))

/** Codes that callers hand to a maker: as its first argument, or as `code` of an object. */
function codesGivenTo(maker: string, inTrees: typeof trees): string[] {
  const found: string[] = []
  for (const { tree } of inTrees)
    walk(tree, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== maker) return
      const given = literal(node.arguments[0])
      if (given) found.push(given)
      for (const argument of node.arguments)
        if (ts.isObjectLiteralExpression(argument))
          for (const member of argument.properties)
            if (ts.isPropertyAssignment(member) && member.name.getText() === 'code')
              found.push(literal(member.initializer) ?? '')
    })
  return found.filter(Boolean)
}

/** Where the codes have their meanings, and none is thrown. */
const isTable = (path: string) => /^api\/[\w-]+\/(document|problems(\.table)?|problems\/\w+)\.ts$/.test(path)

/** Taken over from another refusal, which was constructed elsewhere: in a thread, or with other paths in it. */
const isTakenOver = (path: string, code: ts.Node | undefined) =>
  path === 'activities/documents/pool.ts' || (code && ts.isPropertyAccessExpression(code) && code.name.text === 'code')

function constructed(): Constructed[] {
  const found: Constructed[] = []
  for (const { path, tree } of trees)
    walk(tree, (node) => {
      if (!ts.isNewExpression(node) || node.expression.getText() !== 'Refusal') return
      const [code] = node.arguments ?? []
      const given = literal(code)
      if (given) return found.push({ code: given })
      if (isTakenOver(path, code)) return
      const prefix = code && ts.isTemplateExpression(code) ? code.head.text : ''
      const maker = makerAround(node)
      const exported = maker && /export/.test(node.getSourceFile().text.split(maker)[0]?.split('\n').at(-1) ?? '')
      const codes = maker ? codesGivenTo(maker, exported ? trees : [{ path, tree }]) : []
      if (codes.length === 0) found.push({ unclear: `${path}: new Refusal(${code?.getText()})` })
      else found.push(...codes.map((each) => ({ code: `${prefix}${each}` })))
    })
  return found
}

test('every code that the platform throws is in the list of problems (specification, Errors 6)', (t) => {
  const all = constructed()
  t.true(all.length > 80, 'constructions are found')
  t.deepEqual(
    all.filter((each) => 'unclear' in each),
    [],
  )
  const listed = new Set(PROBLEMS.map(({ code }) => code))
  const codes = new Set(all.flatMap((each) => ('code' in each ? [each.code] : [])))
  t.deepEqual([...codes].filter((code) => !listed.has(code)).sort(), [])
  // what no refusal is made with by name is named somewhere all the same, thrown as Unavailable, or stands for the rest
  const named = (code: string) => trees.some(({ path, tree }) => !isTable(path) && tree.text.includes(`'${code}'`))
  const dead = [...listed].filter(
    (code) => !codes.has(code) && !named(code) && !/^(internal|\w+\.unavailable)$/.test(code),
  )
  t.deepEqual(dead, [])
})

test('every part that can be away has its problem', (t) => {
  for (const part of ['database', 'temporal', 'keys', 'outbound', 'documents', 'mail'])
    t.is(statusOf(`${part}.unavailable`), 503)
})

test('codes are dotted, statuses are those that say what they mean, and no text is missing', (t) => {
  for (const { code, status, meaning, remedy } of PROBLEMS) {
    t.regex(code, /^(internal|[a-z_]+\.[a-z0-9_]+)$/)
    t.true(status >= 400 && status <= 503)
    t.regex(meaning, /^[A-Z].{15,}\.$/, code)
    t.regex(remedy, /^[A-Z].{15,300}\.$/, code)
    t.false(remedy.includes(meaning.slice(0, -1)), `${code} says the same twice`)
    if (code.endsWith('.not_found')) t.is(status, 404, code)
  }
  t.is(new Set(PROBLEMS.map(({ code }) => code)).size, PROBLEMS.length)
})

const openApi = JSON.parse(readFileSync(`${root}/build/openapi.json`, 'utf8')) as OpenApi

/** Operations, and every name that a request or a response of the document has. */
const names = new Set((JSON.stringify(completeOpenApi(openApi)).match(/"\w+"/g) ?? []).map((name) => name.slice(1, -1)))

test('a remedy names only operations, members and variables that exist (D-264)', (t) => {
  let operations = 0
  for (const { code, remedy } of PROBLEMS) {
    for (const [word] of remedy.matchAll(/\b[A-Z]+_[A-Z_]+\b/g))
      t.true(Object.hasOwn(VARIABLES, word), `${code}: ${word}`)
    for (const [word] of remedy.matchAll(/\b[a-z]+(?:[A-Z][A-Za-z]*|(?:_[a-z]+)+)\b/g)) {
      t.true(names.has(word), `${code}: ${word}`)
      operations++
    }
  }
  t.true(operations > 50, 'names are found')
})
