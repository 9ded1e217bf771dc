import { PAGE, type Row, row, TOTALS, within } from './rows.ts'

const KEYS = 'metadata.keys[].didDocumentKeyId metadata.keys[].kmsKeyId'
const DOMAIN = 'domain id isVerified name verificationToken verifiedAt'
const DOMAINS = '/v1/config/domain'

export const DID_ROWS: Row[] = [
  row('getDIDsList', 'GET /v1/dids', 200, {
    query: PAGE,
    answer: `dids ${TOTALS} dids[].did dids[].registrationStatus ${within('dids[]', KEYS)}`,
  }),
  row('createDID', 'POST /v1/dids', 201, {
    body: 'method options',
    answer: `did id metadata registrationStatus ${KEYS}`,
  }),
  row('registerDID', 'POST /v1/messaging/inboxes/{id}/dids', 201, { body: 'did jwt^', answer: 'did' }),
  row('getLinkedDIDs', 'GET /.well-known/did-configuration', 200, { answer: 'context linkedDids', also: [404] }),
  row('getListOfDomains', `GET ${DOMAINS}`, 200, {
    query: PAGE,
    answer: `domains ${TOTALS} ${within('domains[]', DOMAIN)}`,
  }),
  row('createDomain', `POST ${DOMAINS}`, 200, { body: 'domain name', answer: DOMAIN }),
  row('updateDomain', `PUT ${DOMAINS}/{id}`, 200, { body: 'name', answer: DOMAIN }),
  // the further operations of domains, of which it shows the refusals alone
  row('getDomain', `GET ${DOMAINS}/{id}`, 200, { answer: DOMAIN }),
  row('deleteDomain', `DELETE ${DOMAINS}/{id}`, 204),
  row('verifyDomain', `POST ${DOMAINS}/{id}/verify`, 204, { also: [400] }),
  row('invalidateDomain', `POST ${DOMAINS}/{id}/invalidate`, 200, { answer: DOMAIN }),
  // last, for it takes away what the others speak of
  row('deleteDID', 'DELETE /v1/dids/{id}', 204),
]
