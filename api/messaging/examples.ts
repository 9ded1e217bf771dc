import type { MessageDecryptOut, MessageEncryptOut } from './encryption.wire.ts'
import type { InboxOut, MessageOut, MessageSignOut } from './wire.ts'

export const INBOX: InboxOut = { id: '0b8f3f0e-6f0b-4d6a-8f0f-3a0f5c1b7d21', name: 'Admissions office' }

/** Of the Ed25519 key of RFC 8037, appendix A. */
const DID = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw'

const JWS =
  'eyJhbGciOiJFZERTQSIsInR5cCI6IkpPU0UiLCJjdHkiOiJqc29uIiwia2lkIjoiZGlkOmtleTp6Nk1rdHd1cGRtTFhWVnFUekN3NGk0NnI0dUd5b3NHWFJuUjNYak40WnE3b01Nc3cjejZNa3R3dXBkbUxYVlZxVHpDdzRpNDZyNHVHeW9zR1hSblIzWGpONFpxN29NTXN3In0.eyJjb3Vyc2UiOiJDUy0xMDEiLCJncmFkZSI6IkEifQ.J6JUvifZotD4h4xpdyuKMRuFbI5au-I9I5hlnSdklG_bP5Fuo7ljnR9mZb04tzl4J8dPqJ1uETpp_L1X723sAg'

export const SIGNED: MessageSignOut = {
  did: DID,
  didUrl: `${DID}#${DID.slice('did:key:'.length)}`,
  payload: { course: 'CS-101', grade: 'A' },
  signerPublicJwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
  verified: true,
  jws: JWS,
}

const AGREEMENT_KEY = `${DID}#z6LSrEnPXPcLyNLKJPhdJ1eWqyYKARWket5BbiN1rjdUsQ9b`

/** From the X25519 form of the same key to itself. */
export const ENCRYPTED: MessageEncryptOut = {
  jwe: {
    ciphertext: 'oKYKp3NhoCfzpc1yRCS5ZL1Iik-fzAeEpeq0oPaX-Gw',
    iv: 'FrTTG0HlMed813abzV_ILg',
    protected:
      'eyJjdHkiOiJqc29uIiwiYWxnIjoiRUNESC0xUFUrQTI1NktXIiwiZW5jIjoiQTI1NkNCQy1IUzUxMiIsImVwayI6eyJrdHkiOiJPS1AiLCJjcnYiOiJYMjU1MTkiLCJ4IjoiQzQ0S0ZZQ0Q2Q0YwODRtYjhIWlZJOXRyd3UxMkJZeFNialpMMk5VQUl5ZyJ9LCJza2lkIjoiZGlkOmtleTp6Nk1rdHd1cGRtTFhWVnFUekN3NGk0NnI0dUd5b3NHWFJuUjNYak40WnE3b01Nc3cjejZMU3JFblBYUGNMeU5MS0pQaGRKMWVXcXlZS0FSV2tldDVCYmlOMXJqZFVzUTliIiwiYXB1IjoiWkdsa09tdGxlVHA2TmsxcmRIZDFjR1J0VEZoV1ZuRlVla04zTkdrME5uSTBkVWQ1YjNOSFdGSnVVak5ZYWs0MFduRTNiMDFOYzNjamVqWk1VM0pGYmxCWVVHTk1lVTVNUzBwUWFHUktNV1ZYY1hsWlMwRlNWMnRsZERWQ1ltbE9NWEpxWkZWelVUbGkiLCJhcHYiOiJERUJMSEdMUjFkYTZmQkh0SEZwamlMUFNWQWFvSFp4NTdfTFE1RXdTLWEwIn0',
    recipients: [
      {
        encryptionKey:
          'qj__tuVD3OQg1B1-DU3Gy6kJUezd5ScxwVUOKTbg4IU1mn8ZjTLe_tuXjoulibjCPojlROV3NHrqbyKejIgswqaT3KJfC8Wm',
        header: {
          alg: 'ECDH-1PU+A256KW',
          epk: { kty: 'OKP', crv: 'X25519', x: 'C44KFYCD6CF084mb8HZVI9trwu12BYxSbjZL2NUAIyg' },
          skid: AGREEMENT_KEY,
          kid: AGREEMENT_KEY,
        },
      },
    ],
    tag: '7Wm39212TDc_q_P7THflQCdmNpAbtcR3diiUGk2__6c',
  },
}

export const DECRYPTED: MessageDecryptOut = {
  payload: SIGNED.payload,
  recipientDidUrl: AGREEMENT_KEY,
  senderDidUrl: AGREEMENT_KEY,
  senderPublicJwk: { kty: 'OKP', crv: 'X25519', x: '2F4H7CKwrYgVN8L0TWYtGhQ8-DDFespDBdhcepD2ti4' },
}

export const MESSAGE: MessageOut = {
  id: 'd3c5c0a4-57a3-8b52-8f0e-5a4d1c9b7e60',
  inboxId: INBOX.id,
  payload: '{"protected":"…","recipients":[…],"iv":"…","ciphertext":"…","tag":"…"}',
  createdAt: '2026-03-02T09:30:00.000Z',
}

/** For a did:key of X25519 that nobody here has. */
export const ENVELOPE = {
  protected:
    'eyJ0eXAiOiJhcHBsaWNhdGlvbi9kaWRjb21tLWVuY3J5cHRlZCtqc29uIiwiYWxnIjoiRUNESC1FUytBMjU2S1ciLCJlbmMiOiJYQzIwUCIsImVwayI6eyJrdHkiOiJPS1AiLCJjcnYiOiJYMjU1MTkiLCJ4IjoiY1UxaUVlaVNCVXpaUm9GN2s1eEh0d2hNMjB1T2w1RTlIdlBVU2M0MEhBZyJ9LCJhcHYiOiI1QUlVN19YNWpWSkYtMmsycUk2MXVOOElwZFphMzRpY2JJRG9MdmQtTTFVIn0',
  recipients: [
    {
      header: {
        kid: 'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc#z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc',
      },
      encrypted_key: 'kJRp_nPOb_am-HlcwXQpEjJGpVqOA2ahK4JgYjqXHuu4YRLnoVHUEA',
    },
  ],
  iv: 'eZ9ElZis-A0jqvDYOUUD2QKNgUGUdB0w',
  ciphertext: 'E7o',
  tag: 'Ytb-Ipi21IKS_OGYuy1Bxw',
}
