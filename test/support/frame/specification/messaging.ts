import { PAGE, type Row, row, TOTALS, within } from './rows.ts'

const INBOXES = '/v1/messaging/inboxes'
const SIGNED = 'did didUrl payload signerPublicJwk~ verified'
const RECIPIENT = `encryptionKey header ${within('header', 'alg epk kid skid~ epk.crv~ epk.kty epk.x~')}`
const JWE = `jwe ${within('jwe', `ciphertext iv protected recipients tag ${within('recipients[]', RECIPIENT)}`)}`

export const MESSAGING_ROWS: Row[] = [
  row('getListOfInboxes', `GET ${INBOXES}`, 200, {
    query: PAGE,
    answer: `inboxes ${TOTALS} inboxes[].id inboxes[].name`,
  }),
  row('createInbox', `POST ${INBOXES}`, 201, { body: 'name', answer: 'id name' }),
  row('updateInbox', `PUT ${INBOXES}/{id}`, 200, { body: 'name', answer: 'id name' }),
  row('getListOfMessages', `GET ${INBOXES}/{id}/messages`, 200, {
    query: PAGE,
    answer: `messages ${TOTALS} ${within('messages[]', 'createdAt id inboxId payload')}`,
  }),
  row('signCredential', 'POST /v1/messaging/sign', 200, { body: 'didUrl payload', answer: SIGNED, also: [400] }),
  row('verifyCredential', 'POST /v1/messaging/verify', 200, { body: 'jws', answer: SIGNED, also: [400] }),
  row('encryptCredentials', 'POST /v1/messaging/encrypt', 200, {
    body: 'payload recipientDidUrls senderDidUrl',
    answer: JWE,
  }),
  row('decryptCredentials', 'POST /v1/messaging/decrypt', 200, {
    body: 'jwe',
    answer: 'payload recipientDidUrl senderDidUrl~ senderPublicJwk~',
  }),
  row('sendMessage', 'POST /v1/messaging/send', 200, { body: 'message to', answer: '' }),
]

const WEBHOOKS = '/v1/webhooks'
const WEBHOOK = 'createdAt disabled events id secret? updatedAt url'

export const WEBHOOK_ROWS: Row[] = [
  // the guide leaves the secret out, which the reference requires
  row('createWebhook', `POST ${WEBHOOKS}`, 201, { body: 'disabled? events secret? url', answer: WEBHOOK }),
  row('updateWebhook', `PUT ${WEBHOOKS}/{id}`, 200, { body: 'disabled? events^ secret^ url^', answer: WEBHOOK }),
  row('getWebhookKeySet', `GET ${WEBHOOKS}/jwks`, 200, { answer: `keys ${within('keys[]', 'crv kid kty x')}` }),
  // the second operation that lists them has the same path
  row('getWebhooks', `GET ${WEBHOOKS}`, 200, {
    query: `${PAGE} status`,
    answer: `webhooks ${TOTALS} ${within('webhooks[]', WEBHOOK)}`,
  }),
]

export const TOKEN_AND_LOG_ROWS: Row[] = [
  row('getOAuthAccessToken', 'POST /v1/auth/token', 200, {
    body: 'clientId clientSecret grantType scope^',
    answer: 'access_token expires_in token_type',
    also: [400, 401],
  }),
  row('getListOfLogs', 'POST /v1/analytics/events', 200, {
    body: 'categories dateFrom dateTo ids requestIds types',
    answer: `data ${within('data[]', 'category data id metadata timestamp type')}`,
  }),
]
