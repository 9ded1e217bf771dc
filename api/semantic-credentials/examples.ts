import { HOLDER, ISSUER, ISSUER_KEY, V2 } from '../frame/openapi/examples.ts'

export const CREDENTIAL_ID = '2a1fbdfb-4f8f-4a06-a2f3-4bb9c6d7d3a8'
export const TEMPLATE_ID = '5e0f3a7c-8f04-4f5b-9d0a-0d7a2cf5f3b1'
export const PRESENTATION_TEMPLATE_ID = '7b1c5f6e-52a1-4d0e-9c2b-0c6f2a4f9d11'
export const CREATED_AT = '2027-01-01T00:00:00.000Z'

// The proofs verify: whoever tries an example sees it succeed. The keys that made them are gone.

const BBS_ISSUER =
  'did:key:zUC76hDuzYNp9n6idevbUy6sABX4vwG8FFbGoQGN83b2YLBYqqujTbqiHo8h2qZpYdxVgBeNB7Fq7jSSgJ8PwZqRYp4vKXyVCzkryzpQ4kzbzrLrscKuH6MtiyeoSRvWVE2F72n'

const courseBy = (issuer: string) => ({
  '@context': [V2, { course: 'https://schema.org/courseCode' }],
  id: `urn:uuid:${CREDENTIAL_ID}`,
  type: ['VerifiableCredential'],
  issuer: { id: issuer, name: 'Example University' },
  credentialSubject: { id: HOLDER, course: 'CS-101' },
  validFrom: '2026-01-01T00:00:00Z',
})

const proof = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-rdfc-2022',
  created: '2026-11-22T18:10:52Z',
  verificationMethod: ISSUER_KEY,
  proofPurpose: 'assertionMethod',
  proofValue: 'z4PAXbE7k2zbj1KE7DbWcT25ESv7XcaU8vYVqGVvVEqhxXrGbfYjiPTrGbrBypJfNMMGWtgEFxonyLjFdc7rmD9fK',
}

export const SIGNED = { ...courseBy(ISSUER), proof }

const bbsProof = {
  type: 'DataIntegrityProof',
  cryptosuite: 'bbs-2023',
  verificationMethod: `${BBS_ISSUER}#${BBS_ISSUER.slice('did:key:'.length)}`,
  proofPurpose: 'assertionMethod',
}

/** With a base proof. */
export const BASE = {
  ...courseBy(BBS_ISSUER),
  proof: {
    ...bbsProof,
    proofValue:
      'u2V0ChVhQpQM7rJjbNfqU2khQZK0aY-fnRWd5QHqsax_Ia2_U8ZQ3cRoRuvVmlJss91TjfO8LWKxjYj7PFSr3k2WLKtLqxbJNe0lBvNEF82julESblsBYQBUh5Xrwlqlc-sXsMSJwx1lpHjicCsLYoDZt_yTCmsuP_BdbT3y4OZw_xw4rfiP9P-tzWMNexMIoHksao-j33ehYYJC7UD9b8nuIyWEQM8t0iHciHczdQ6xXSoExDsSmY-Pm75OjSC9AxV0OF36gr446CQpkfx1RD0LPfwTSi4ULX1lZm_wHivrr-7h4Pjypp_yz0q26W5wHngK39GVTbyTsH1gggZQzNYha5NyTpngZBOfJHW0aSugD_duYc309MB0x56iCZy9pc3N1ZXJqL3ZhbGlkRnJvbQ',
  },
}

/** Derived from `BASE`. */
export const DERIVED = {
  ...courseBy(BBS_ISSUER),
  proof: {
    ...bbsProof,
    proofValue:
      'u2V0DhVkBEIZNM4pnptXjRt-Twb4h-orp7mqwW78cHFJZk7oit57xinP3UJ4j6jEkJhfUwIAFS6RDOFD6E1n-K1iZXJw9owfD8I-i-COW3WcA6yJgKOZSh-dJ2ibN-h5wNWT8Gf1XBoJ8OmRCVbdYw7JCvsiusyq184AfocBospbulcKm4uv3lkbfjT8ifKam3Fd4Qqru_FliCRlHPQpbK_uqkVhD1-IBNFBia1cLCVRZDZvCeaBGENvvYtEKujuASfrsvv3RpxpsjD2bEGpzKnRmZMe6mLAuGxCo8MO5B32hG4ySd89qoln9Jr0EgIV1SrABKhyTamvhiRzD8mRZxtdjUr9BjTamuVvPT1mDZm0ToGKmsWSXoIQBAgQFggABQA',
  },
}

export const PRESENTATION = {
  '@context': [V2],
  type: ['VerifiablePresentation'],
  holder: HOLDER,
  verifiableCredential: [SIGNED],
  proof: {
    ...proof,
    created: '2026-11-22T18:10:52Z',
    verificationMethod: `${HOLDER}#${HOLDER.slice('did:key:'.length)}`,
    proofPurpose: 'authentication',
    challenge: 'h4HcaTkA5mYTy6lTcO5jLFoWKAvDHaGR',
    domain: 'verifier.example',
    proofValue: 'z5WAsvyYrog4AMkabCNjG3w1Zrhec4PLKtxHssW1LQCSorFQdAjFy6yS2WvycMjpqXEteWKe6AsuVDb27skbtUcyC',
  },
}
