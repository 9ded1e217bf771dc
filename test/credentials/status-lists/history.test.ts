import test from 'ava'
import { type Lifetime, statusAt } from '../../../protocol/status-list/history.ts'

const at = (time: string) => new Date(`2026-03-01T${time}Z`)
const LIFE: Lifetime = { createdAt: at('10:00:00'), issuanceDate: at('09:00:00'), expirationDate: at('18:00:00') }

const reasonsAt = (time: string, life: Lifetime = LIFE) => statusAt(life, [], at(time)).reasons

test('a credential is valid from its signature and its date on, and ended in the moment that it names (data model 2.0, section 4.9)', (t) => {
  t.deepEqual(reasonsAt('09:59:59.999'), ['NotYetValid'], 'its date had come; it was not there')
  t.deepEqual(reasonsAt('10:00:00'), [])
  const dated = { ...LIFE, issuanceDate: at('12:00:00') }
  t.deepEqual(reasonsAt('11:59:59.999', dated), ['NotYetValid'])
  t.deepEqual(reasonsAt('12:00:00', dated), [])
  t.deepEqual(reasonsAt('17:59:59.999'), [])
  t.deepEqual(reasonsAt('18:00:00'), ['Expired'])
  t.deepEqual(reasonsAt('23:00:00', { ...LIFE, expirationDate: null }), [])
})

test('the last change of a purpose up to the time counts, each purpose for itself', (t) => {
  const noon = at('12:00:00')
  const of = (...changes: [purpose: 'revocation' | 'suspension', value: boolean][]) =>
    statusAt(
      LIFE,
      changes.map(([purpose, value]) => ({ purpose, value })),
      noon,
    )
  t.deepEqual(of(), { at: noon, isRevoked: false, isSuspended: false, isValid: true, reasons: [] })
  t.like(of(['revocation', true]), { isRevoked: true, isSuspended: false, isValid: false, reasons: ['Revoked'] })
  t.like(of(['revocation', true], ['revocation', false]), { isRevoked: false, isValid: true })
  t.like(of(['suspension', true], ['revocation', false]), { isSuspended: true, reasons: ['Suspended'] })
  t.like(of(['revocation', true], ['suspension', true]), { reasons: ['Revoked', 'Suspended'] })
})
