import test from 'ava'
import { createSmallDraws } from '../../activities/frame/secrets.ts'

/** Random bytes that are numbers, so that one that comes twice shows. */
function numbered() {
  const draws: number[] = []
  let next = 0
  const draw = (size: number) => {
    draws.push(size)
    return Uint8Array.from({ length: size }, () => next++ >> 4)
  }
  return { draws, draw }
}

test('small draws hand out each byte once, of few draws (D-911)', (t) => {
  const { draws, draw } = numbered()
  const small = createSmallDraws(draw)
  const salts = Array.from({ length: 255 }, () => Buffer.from(small(16)).toString('hex'))
  t.deepEqual(draws, [4096])
  t.is(new Set(salts).size, 255)
  t.is(small(32).length, 32)
  t.deepEqual(draws, [4096, 4096], 'what is left is too little, and is not handed out')
})

test('a large draw is one of its own (D-911)', (t) => {
  const { draws, draw } = numbered()
  t.is(createSmallDraws(draw)(5000).length, 5000)
  t.deepEqual(draws, [5000])
})
