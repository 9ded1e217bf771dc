import test from 'ava'
import { definitionErrors } from '../../../activities/administration/transfers/rules/definitions.ts'

const NOW = new Date('2026-01-01T00:00:00Z')
const AT = 'row.current.definition'
const definition = (more: object) => ({
  name: 'Course',
  type: 'CourseCredential',
  additionalTypes: [],
  issuer: { name: 'University' },
  revocable: false,
  proofType: 'vc+sd-jwt',
  ...more,
})
const errorsOf = (more: object) =>
  definitionErrors('semantic', definition(more), AT, NOW).map(({ path, code }) => [path.replace(`${AT}.`, ''), code])

test('what a template says of selective disclosure is moved with it', (t) => {
  t.deepEqual(errorsOf({}), [])
  t.deepEqual(errorsOf({ selectively: null, decoys: null }), [])
  t.deepEqual(errorsOf({ selectively: [['credentialSubject', 'course']], decoys: 3 }), [])
})

const REFUSED: [more: object, place: string, code: string][] = [
  [{ decoys: 51 }, 'decoys', 'integer'],
  [{ decoys: 'many' }, 'decoys', 'integer'],
  [{ selectively: 'course' }, 'selectively', 'json'],
  [{ selectively: {} }, 'selectively', 'disclosure.path'],
  [{ selectively: [{}] }, 'selectively.0', 'disclosure.path'],
  [{ selectively: [null] }, 'selectively.0', 'disclosure.path'],
  [{ selectively: [['issuer']] }, 'selectively.0', 'disclosure.never'],
]
for (const [more, place, code] of REFUSED)
  test(`${JSON.stringify(more)} is refused with member and rule`, (t) => {
    t.deepEqual(errorsOf(more), [[place, code]])
  })
