import test from 'ava'
import fc from 'fast-check'
import { fromBase64url } from '../../protocol/base64url.ts'

test('bytes have one text in base64url, and no other text is read as them (RFC 7515, section 2; property)', (t) => {
  const alphabet = [...'ABab01-_+/= .\n'].map((character) => fc.constant(character))
  const text = fc.array(fc.oneof(...alphabet), { maxLength: 8 }).map((characters) => characters.join(''))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), text, (bytes, any) => {
      const own = Buffer.from(bytes).toString('base64url')
      const read = fromBase64url(own)
      const other = fromBase64url(any)
      return (
        read !== undefined &&
        Buffer.from(read).equals(bytes) &&
        (other === undefined || Buffer.from(other).toString('base64url') === any)
      )
    }),
    { numRuns: 5_000 },
  )
  for (const other of ['AA==', 'AB', 'A', '+A', '/A', 'AA\n', ' AA', 'A A', 'ÄA'])
    t.is(fromBase64url(other), undefined, other)
  t.deepEqual(fromBase64url('AA'), Buffer.from([0]))
})
