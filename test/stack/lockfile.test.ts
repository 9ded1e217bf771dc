import { readFileSync } from 'node:fs'
import test from 'ava'
import { missingFrom } from '../../stack/complete-lock.mjs'

test('the lock names the packages of every platform, so that npm ci accepts it in a fresh clone', (t) => {
  t.deepEqual(
    missingFrom(JSON.parse(readFileSync('package-lock.json', 'utf8'))),
    [],
    'run: node stack/complete-lock.mjs',
  )
})

test('the lock tells no registry, and every version in package.json is exact', (t) => {
  t.notRegex(readFileSync('package-lock.json', 'utf8'), /"resolved": "https?:/)
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
    t.regex(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
})

test("npm's scripts replace their shell, so that a signal to npm reaches the platform and npm waits for its end", (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const name of ['start', 'test', 'build', 'bench', 'test:heavy', 'test:mutants'])
    t.is(scripts[name], `exec node stack/bootstrap.mjs ${name}`)
})
