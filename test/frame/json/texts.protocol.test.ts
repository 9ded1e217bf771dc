import test from 'ava'
import { readClaims } from '../../../protocol/compact-credentials/claims.ts'
import { readSemanticPayload } from '../../../protocol/compact-credentials/semantic.ts'
import { Refusal } from '../../../protocol/errors.ts'
import { isUsableText, type Json } from '../../../protocol/json.ts'
import { nameSpacesOf } from '../../../protocol/mobile-credentials/issuer-signed.ts'
import { claimErrors } from '../../../protocol/sd-jwt-credentials/claims.ts'
import { boundsErrors } from '../../../protocol/semantic-credentials/bounds.ts'

/** Texts that PostgreSQL stores in no JSON, and that JSON from elsewhere may have: of an identity provider, a hook, a claim source. */
const UNUSABLE = ['a\0b', '\ud800', 'x\udc00y']
const USABLE = ['', 'Ada', 'Zoë 😀', '\u0001\ufffe']

const errorsOfSpace = (space: Json) => {
  try {
    nameSpacesOf({ space }, '')
    return []
  } catch (error) {
    if (error instanceof Refusal) return error.errors
    throw error
  }
}

const semantic = (claims: Json) => ({ type: ['VerifiableCredential'], credentialSubject: { name: 'Ada', ...claims } })

/** What each format refuses of claims, with the prefix of its paths. */
const FORMATS: Record<string, { errorsOf: (claims: Json) => { path: string; code: string }[]; nests: boolean }> = {
  'SD-JWT VC': { errorsOf: claimErrors, nests: true },
  compact: { errorsOf: (claims) => readClaims({ type: 'Course', ...claims }).errors, nests: false },
  'property_set of compact': {
    errorsOf: (claims) => readClaims({ type: 'Course', property_set: claims }).errors,
    nests: false,
  },
  'compact-semantic': { errorsOf: (claims) => readSemanticPayload(semantic(claims)).errors, nests: true },
  mobile: { errorsOf: errorsOfSpace, nests: true },
  semantic: { errorsOf: (claims) => boundsErrors(semantic(claims)), nests: true },
}

for (const [format, { errorsOf, nests }] of Object.entries(FORMATS))
  test(`${format}: claims have texts and names that can be stored, and an error repeats no other one`, (t) => {
    for (const text of USABLE) {
      t.true(isUsableText(text))
      t.deepEqual(errorsOf({ claim: text }), [])
    }
    for (const text of UNUSABLE) {
      t.false(isUsableText(text))
      const claims = [{ claim: text }, ...(nests ? [{ claim: { [text]: 1 } }, { claim: [{ in: [text] }] }] : [])]
      for (const each of format === 'mobile' ? claims : [...claims, { [text]: 1 }]) {
        const [error, ...more] = errorsOf(each)
        t.deepEqual(more, [])
        t.regex(error?.code ?? '', /(^|\.)text$/)
        t.true(isUsableText(error?.path ?? text))
      }
    }
  })

test('texts of a compact credential beside its claims are held to the same', (t) => {
  for (const name of ['iss', 'sub', 'aud', 'type'])
    t.deepEqual(
      readClaims({ type: 'Course', [name]: 'a\0b' }).errors.map(({ path }) => path),
      [`/${name}`],
    )
})
