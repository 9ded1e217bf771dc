import type { SqlEntityManager } from '@mikro-orm/postgresql'
import test from 'ava'
import { asAttempt } from '../../../activities/openid/verifiers/attempts.ts'
import { Refusal, Unavailable } from '../../../protocol/errors.ts'

const over = () => new Refusal('sign_in.request_over', 'over')

/** A request as its row, with as many attempts as it had. */
function request(attempts = 0) {
  const row = { attempts }
  const verify = (error?: Error) =>
    asAttempt({ over, find: async () => ({ row }), inOne: (work) => work({} as SqlEntityManager) }, async () => {
      if (error) throw error
      return 'verified'
    })
  return { row, verify }
}

test('faults of the platform cost an answer none of its ten attempts, and refusals one each (D-1062, D-1109)', async (t) => {
  const { row, verify } = request()
  for (let nth = 0; nth < 20; nth += 1)
    await t.throwsAsync(verify(new Unavailable('outbound', 'The budget is spent.', 1)), {
      message: 'The budget is spent.',
    })
  t.is(row.attempts, 0)
  for (let nth = 0; nth < 9; nth += 1) await t.throwsAsync(verify(new Refusal('sign_in.refused', 'wrong')))
  t.is(await verify(), 'verified')
  t.is(row.attempts, 10)
  await t.throwsAsync(verify(), { code: 'sign_in.request_over' })
})
