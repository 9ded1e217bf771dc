import type { OPENID_OPERATIONS } from '../../../protocol/openid/operations.ts'
import type { ProblemTable } from '../../frame/openapi/document.ts'
import { CODE, QUERY, REDIRECT } from './schemas.ts'
import type { OpenId4VpCreatedOut, OpenId4VpRequestOut, OpenId4VpRequestSummaryOut } from './wire.ts'

type Id = Extract<keyof typeof OPENID_OPERATIONS, `${string}OpenId4Vp${string}`>

const ID = '5b0c7f7e-8a1d-4f5b-9f0e-2c3d4e5f6a7b'
const VERIFIER_ID = '7d2f9a1c-4b6e-4c8d-a0f3-1e5b7c9d2f4a'
const CLIENT_ID = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk'
const URI = `openid4vp://?client_id=${encodeURIComponent(CLIENT_ID)}&request_uri=${encodeURIComponent(`https://issuer.example/v1/openid4vp/wallet/requests/${CODE}`)}`

const SUMMARY: OpenId4VpRequestSummaryOut = {
  id: ID,
  state: 'PENDING',
  clientId: CLIENT_ID,
  responseMode: 'direct_post.jwt',
  requestUriMethod: 'get',
  redirectUri: REDIRECT,
  failures: 0,
  failureCode: null,
  createdAt: '2027-01-04T09:00:00.000Z',
  expiresAt: '2027-01-04T09:10:00.000Z',
  endedAt: null,
  keptUntil: '2027-01-05T09:10:00.000Z',
  needsResponseCode: false,
}

const CREATED: OpenId4VpCreatedOut = {
  ...SUMMARY,
  uri: URI,
  qrCode: 'data:image/png;base64,iVBORw0KGgo=',
  sameDeviceUri: URI,
  browserRequest: null,
  pageUri: null,
}

const VERIFIED: OpenId4VpRequestOut = {
  ...SUMMARY,
  state: 'VERIFIED',
  endedAt: '2027-01-04T09:02:00.000Z',
  credentials: [
    {
      id: 'identity',
      format: 'dc+sd-jwt',
      verified: true,
      checks: [
        { name: 'Signature', result: 'passed' },
        { name: 'KeyBinding', result: 'passed' },
        { name: 'query', result: 'passed' },
      ],
      reason: [],
      warnings: [],
      types: ['https://credentials.example/identity'],
      issuer: 'did:web:issuer.example',
      holder: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
      claims: { vct: 'https://credentials.example/identity', given_name: 'Ada', address: { country: 'NL' } },
    },
  ],
}

export const PRESENTATION_EXAMPLES: Partial<Record<Id, object>> = {
  createOpenId4VpRequest: { verifierId: VERIFIER_ID, dcqlQuery: QUERY, redirectUri: REDIRECT, expiresInSec: 600 },
  redeemOpenId4VpRequest: { responseCode: CODE },
  answerOpenId4VpRequest: { origin: 'https://shop.example', data: { response: '<a JWE>' } },
}

export const PRESENTATION_ANSWERS: Partial<Record<Id, unknown>> = {
  createOpenId4VpRequest: CREATED,
  listOpenId4VpRequests: { data: [SUMMARY], limit: 20, totalCount: 1, totalPages: 1 },
  getOpenId4VpRequest: VERIFIED,
  redeemOpenId4VpRequest: VERIFIED,
  answerOpenId4VpRequest: VERIFIED,
}

export const PRESENTATION_NOT_FOUND: Readonly<Record<string, string>> = {
  '/v1/openid4vp/requests/{id}': 'openid_presentation.not_found',
}

export const PRESENTATION_REFUSALS: Partial<Record<Id, Readonly<Record<number, string>>>> = {
  createOpenId4VpRequest: { 400: 'openid_presentation.invalid', 404: 'oidc_verifier.not_found' },
  redeemOpenId4VpRequest: { 400: 'openid_presentation.response_code_wrong' },
  answerOpenId4VpRequest: { 400: 'openid_presentation.refused' },
}

export const PRESENTATION_PROBLEMS: ProblemTable = {
  400: {
    'openid_presentation.answer_malformed': {
      meaning: 'The answer of a wallet cannot be read or decrypted, or does not hold what the query asks for.',
      remedy: 'See that the wallet speaks OpenID4VP 1.0 with DCQL and the response mode of the request.',
    },
    'openid_presentation.declined': {
      meaning: 'The wallet declined to present.',
      remedy: 'Ask again only if the person wants to: create another request.',
    },
    'openid_presentation.wallet_error': {
      meaning: 'The wallet answered with an error other than access_denied: it could not present.',
      remedy: 'Let the person try another wallet, or another way of the same request, such as the QR code of its page.',
    },
    'openid_presentation.expired': {
      meaning: 'No wallet presented anything that was accepted before the request ended.',
      remedy: 'Create another request; a longer one with expiresInSec.',
    },
    'openid_presentation.invalid': {
      meaning: 'The request for credentials has values that cannot be used; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'openid_presentation.over': {
      meaning: 'The request to the wallet is not known, has ended, or was answered.',
      remedy: 'Create another one with createOpenId4VpRequest.',
    },
    'openid_presentation.refused': {
      meaning: 'A presentation was not accepted; credentials of the request have every check.',
      remedy: 'Read the checks with getOpenId4VpRequest, and have a credential presented that passes them.',
    },
    'openid_presentation.response_code_wrong': {
      meaning: 'The response code is of another request, was used, or no wallet has answered on the same device.',
      remedy:
        'Take the code from the query of the redirectUri that the wallet opened in this browser, and use it once.',
    },
  },
  403: {
    'openid_presentation.not_yours': {
      meaning: 'The page of a request was opened in another browser first, or this one has lost its cookie.',
      remedy: 'Go on in the browser that opened it first; or create another request.',
    },
  },
  404: {
    'openid_presentation.not_found': {
      meaning: 'The tenant has no such request for credentials, or it was deleted after keptUntil.',
      remedy: 'Take the id from listOpenId4VpRequests.',
    },
    'openid_presentation.template_not_found': {
      meaning: 'The tenant has no such presentation template.',
      remedy: 'Take the id from getWebSemanticPresentationTemplatesLists.',
    },
  },
}
