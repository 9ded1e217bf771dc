import test from 'ava'
import {
  DNS_UNANSWERED,
  describeAnswer,
  RECORD_MISSING,
  recordFault,
  stepAfter,
  TAKEN,
} from '../../protocol/domains/verification.ts'

const TOKEN = '7d1c2f0a-30f4-4a0c-8e54-5b1f8a9f6e02'
const DOMAIN = 'id.university.example'
const answers = (here: string[] | undefined, below: string[] | undefined) => [
  { name: DOMAIN, texts: here },
  { name: `_countersign.${DOMAIN}`, texts: below },
]
const codeOf = (here: string[] | undefined, below: string[] | undefined) =>
  recordFault(DOMAIN, answers(here, below), TOKEN)?.code

test('a TXT record that is the token proves the domain, at either name, beside others', (t) => {
  t.is(codeOf([TOKEN], []), undefined)
  t.is(codeOf([], [TOKEN]), undefined)
  t.is(codeOf(['v=spf1 -all', TOKEN], undefined), undefined, 'one name is enough')
  t.is(codeOf([` "${TOKEN}" `], []), undefined, 'quotes that a page for DNS records took literally')
})

test('a record that only contains the token, or another token, proves nothing', (t) => {
  t.is(codeOf([], []), RECORD_MISSING)
  t.is(codeOf([`${TOKEN} `.repeat(2)], []), RECORD_MISSING)
  t.is(codeOf([`token=${TOKEN}`], []), RECORD_MISSING)
  t.is(codeOf([TOKEN.toUpperCase()], [TOKEN.slice(1)]), RECORD_MISSING)
})

test('a name that DNS did not answer may have had the token', (t) => {
  t.is(codeOf(undefined, []), DNS_UNANSWERED)
  t.is(codeOf(['v=spf1 -all'], undefined), DNS_UNANSWERED)
})

test('the reason says what was found at which name, and is bounded', (t) => {
  const fault = recordFault(DOMAIN, answers(['v=spf1 -all'], []), TOKEN)
  t.true(fault?.reason.includes(`${DOMAIN}: none of its TXT records is the token: "v=spf1 -all"`))
  t.true(fault?.reason.includes(`_countersign.${DOMAIN}: no TXT record`))
  const many = describeAnswer({ name: DOMAIN, texts: Array.from({ length: 500 }, () => 'x'.repeat(10_000)) })
  t.true(many.length < 600)
  t.regex(many, /and 495 more$/)
})

const rules = { checkSeconds: 30, patienceSeconds: 7 * 86_400, recheckSeconds: 7 * 86_400 }
const START = new Date('2026-03-02T09:30:00Z')
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000)
const missing = { code: RECORD_MISSING, reason: 'none' }
const unanswered = { code: DNS_UNANSWERED, reason: 'silence' }
const waiting = { isVerified: false, waitingSince: START, missingSince: null }
const verified = { isVerified: true, waitingSince: START, missingSince: null }

test('a domain is looked for at growing intervals, 30 s to an hour, for 7 days and no longer (D-347)', (t) => {
  const looks: number[] = []
  for (let at = 0; ; ) {
    looks.push(at)
    const step = stepAfter(waiting, missing, after(at), rules)
    if (step.status === 'GIVEN_UP') break
    t.is(step.status, 'WAITING')
    at += step.nextInMs / 1000
  }
  t.deepEqual(looks.slice(0, 10), [0, 30, 60, 120, 240, 480, 960, 1920, 3840, 7440])
  t.is(looks.at(-1), 7 * 86_400, 'the last look is at the end of the patience')
  t.is(looks.length, 176)
})

test('silence of DNS and a domain that is verified elsewhere use up the patience of a domain that waits', (t) => {
  for (const fault of [unanswered, TAKEN]) {
    t.like(stepAfter(waiting, fault, after(60), rules), { status: 'WAITING', nextInMs: 60_000 })
    t.deepEqual(stepAfter(waiting, fault, after(7 * 86_400), rules), { status: 'GIVEN_UP' })
  }
})

test('a record that is found verifies, whenever it is found, and is looked for again in a week', (t) => {
  for (const at of [0, 60, 8 * 86_400])
    t.deepEqual(stepAfter(waiting, undefined, after(at), rules), {
      status: 'VERIFIED',
      nextInMs: 7 * 86_400_000,
      missingSince: null,
    })
})

test('a verified domain without its record stays verified for 7 days, then it is given up (D-347)', (t) => {
  const first = stepAfter(verified, missing, START, rules)
  t.deepEqual(first, { status: 'VERIFIED', nextInMs: 30_000, missingSince: START })
  const missed = { ...verified, missingSince: START }
  t.deepEqual(stepAfter(missed, missing, after(7 * 86_400 - 1), rules), {
    status: 'VERIFIED',
    nextInMs: 1_000,
    missingSince: START,
  })
  t.deepEqual(stepAfter(missed, missing, after(7 * 86_400), rules), { status: 'GIVEN_UP' })
  t.like(stepAfter(missed, undefined, after(7 * 86_400), rules), { status: 'VERIFIED', missingSince: null })
})

test('silence of DNS never ends a verified domain, and does not begin its patience', (t) => {
  t.deepEqual(stepAfter(verified, unanswered, START, rules), {
    status: 'VERIFIED',
    nextInMs: 3_600_000,
    missingSince: null,
  })
  const missed = { ...verified, missingSince: START }
  t.like(stepAfter(missed, unanswered, after(30 * 86_400), rules), { status: 'VERIFIED', missingSince: START })
})

test('a clock that was set back gives no negative pause', (t) => {
  t.like(stepAfter(waiting, missing, after(-3600), rules), { status: 'WAITING', nextInMs: 30_000 })
})
