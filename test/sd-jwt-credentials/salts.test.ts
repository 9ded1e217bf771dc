import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createSaltSource } from '../../activities/sd-jwt-credentials/salts.ts'

test('bytes of salts are given out once, in the sizes that were asked for, by few draws', (t) => {
  let draws = 0
  const source = createSaltSource((size) => {
    draws += 1
    return randomBytes(size)
  })
  const given = new Set<string>()
  for (let round = 0; round < 1_000; round += 1)
    for (const size of [16, 160, 17]) {
      const bytes = source(size)
      t.is(bytes.length, size)
      given.add(Buffer.from(bytes.subarray(0, 16)).toString('hex'))
    }
  t.is(given.size, 3_000, 'no sixteen bytes twice')
  t.true(draws < 40, `${draws} draws for 193,000 bytes`)
})

test('a large piece is a draw of its own', (t) => {
  const sizes: number[] = []
  const source = createSaltSource((size) => {
    sizes.push(size)
    return randomBytes(size)
  })
  t.is(source(5_000).length, 5_000)
  t.is(source(20_000).length, 20_000)
  t.deepEqual(sizes, [5_000, 20_000])
})
