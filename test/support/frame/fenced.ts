/** Run as a process of its own: loads what the argument names and tells, as JSON, what may still be done to built-ins. */
const [what = ''] = process.argv.slice(2)

const ENTRIES: Record<string, () => Promise<unknown>> = {
  fence: async () => (await import('../../../activities/frame/process/intrinsics.ts')).fenceIntrinsics(),
  // each fails for want of a platform; what is asked is what it did before
  'api process': async () => (await import('../../../api/server.process.ts')).serve({} as never),
  worker: () => import('../../../activities/worker.ts'),
  'document thread': () => import('../../../activities/documents/thread.ts'),
  'BBS thread': () => import('../../../activities/keys/bbs.worker.ts'),
}

type Attempt = () => unknown

/** Kept, because without the fence nothing is as it was after the attempts. */
const { stringify } = JSON
const { entries, fromEntries } = Object

/** What paths of hostile names do: to be refused with a TypeError, in strict code, and to leave nothing. */
const ATTEMPTS: Record<string, Attempt> = {
  'a member of all objects': () => Object.assign(Object.prototype, { '@id': '__proto__' }),
  'a member of all objects, by definition': () => Object.defineProperty(Object.prototype, 'x', { value: 1 }),
  'toString of all objects': () => Object.assign(Object.prototype, { toString: 'x' }),
  'toString of all objects, by definition': () => Object.defineProperty(Object.prototype, 'toString', { value: 'x' }),
  'the accessor __proto__': () => Object.defineProperty(Object.prototype, '__proto__', { value: 'x' }),
  'call of a method of objects': () => Object.assign(Object.prototype.hasOwnProperty, { call: 'x' }),
  'call of a method of lists': () => Object.assign(Array.prototype.map, { call: 'x' }),
  'call of a method of maps': () => Object.assign(Map.prototype.get, { call: 'x' }),
  'a static method': () => Object.assign(Object, { keys: 'x' }),
  'call of a static method': () => Object.assign(Object.keys, { call: 'x' }),
  'a member of a constructor': () => Object.assign(Array, { call: 'x' }),
  'call of a namespace': () => Object.assign(JSON.parse, { call: 'x' }),
  'the prototype of all objects': () => Object.setPrototypeOf(Object.prototype, {}),
}

/** What libraries do at run time, and must be able to do. */
const USES: Record<string, Attempt> = {
  'toString of an object': () => String(Object.assign({}, { toString: () => 'own' })) === 'own',
  'constructor of an instance': () => Object.assign({}, { constructor: Map }).constructor === Map,
  'valueOf below another prototype': () => Object.assign(Object.create({ a: 1 }), { valueOf: () => 7 }).valueOf() === 7,
  'the name and message of an error': () =>
    Object.assign(new Error('x'), { name: 'Own', message: 'own' }).name === 'Own',
  'toString of a function': () => String(Object.assign(() => undefined, { toString: () => 'own' })) === 'own',
  'how errors show stacks': () => Object.assign(Error, { stackTraceLimit: 20 }).stackTraceLimit === 20,
  'a class of its own': () => new (class Own extends Map<number, number> {})([[1, 2]]).get(1) === 2,
  'members in a loop': () => Object.keys({ a: 1 }).length === 1 && !('b' in { a: 1 }),
}

const outcome = (attempt: Attempt): string => {
  try {
    return attempt() === true ? 'true' : 'done'
  } catch (error) {
    return error instanceof Error ? error.name : 'thrown'
  }
}

await ENTRIES[what]?.().catch(() => undefined)
const all = (attempts: Record<string, Attempt>) =>
  fromEntries(entries(attempts).map(([name, attempt]) => [name, outcome(attempt)]))
const uses = all(USES)
process.stdout.write(`\nANSWER ${stringify({ uses, attempts: all(ATTEMPTS) })}\n`, () => process.exit())
