const PAGE = ['data', 'limit', 'totalCount', 'totalPages']

const PARTICIPANT = [
  'ecosystemId',
  'id',
  'identifiers',
  'isIssuer',
  'isIssuerConstrained',
  'isVerified',
  'isVerifierConstrained',
  'name',
]

const CREDENTIAL = ['ecosystemId', 'id', 'name', 'profile', 'type']

const POLICY = ['credentials', 'participants', 'policyModifiedAt']

const ECOSYSTEM = '/v1/ecosystems/{ecosystemId}'
const OF_PARTICIPANT = `${ECOSYSTEM}/participants/{participantId}`

/** The specification's operations of ecosystems. */
export const ECOSYSTEM_SPECIFIED: [
  operationId: string,
  method: string,
  path: string,
  status: number,
  fields: string[],
][] = [
  ['getListOfEcosystems', 'GET', '/v1/ecosystems', 200, PAGE],
  ['createEcosystem', 'POST', '/v1/ecosystems', 201, ['id', 'name']],
  ['getListOfEcosystemParticipants', 'GET', `${ECOSYSTEM}/participants`, 200, PAGE],
  ['createEcosystemParticipant', 'POST', `${ECOSYSTEM}/participants`, 201, PARTICIPANT],
  ['getEcosystemParticipant', 'GET', OF_PARTICIPANT, 200, PAGE],
  ['getListOfEcosystemCredentials', 'GET', `${ECOSYSTEM}/credentials`, 200, PAGE],
  ['createEcosystemCredential', 'POST', `${ECOSYSTEM}/credentials`, 201, CREDENTIAL],
  ['getEcosystemIssuer', 'GET', `${ECOSYSTEM}/issuers`, 200, POLICY],
  ['getEcosystemVerifier', 'GET', `${ECOSYSTEM}/verifiers`, 200, POLICY],
  ['createEcosystemIssuer', 'POST', `${OF_PARTICIPANT}/issuer/credentials`, 201, CREDENTIAL],
  ['createEcosystemVerifier', 'POST', `${OF_PARTICIPANT}/verifier/credentials`, 201, CREDENTIAL],
  ['deleteEcosystemIssuer', 'DELETE', `${OF_PARTICIPANT}/issuer/credentials/{credentialId}`, 204, []],
  ['deleteEcosystemVerifier', 'DELETE', `${OF_PARTICIPANT}/verifier/credentials/{credentialId}`, 204, []],
]
