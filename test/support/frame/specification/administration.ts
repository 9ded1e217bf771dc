import { PAGE, type Row, row, SNAKE_TOTALS, TOTALS, within } from './rows.ts'

const SOURCES = '/v1/claim-sources'
const SOURCE_BODY = 'authorization? name request_parameters url'
const SOURCE = 'authorization? id name org_id request_method request_parameters url'

const ENVIRONMENT = [
  'authorizationServerDomain deploymentModel domain id name region',
  within('region', 'displayName id name'),
].join(' ')

const CLIENTS = '/v1/oauth2/clients'

export const ADMINISTRATION_ROWS: Row[] = [
  row('getClaimSourceList', `GET ${SOURCES}`, 200, {
    query: PAGE,
    answer: `data ${SNAKE_TOTALS} ${within('data[]', SOURCE)}`,
  }),
  row('createClaimSource', `POST ${SOURCES}`, 201, { body: `${SOURCE_BODY} request_method`, answer: SOURCE }),
  row('getClaimSource', `GET ${SOURCES}/{id}`, 200, { answer: SOURCE }),
  row('updateClaimSource', `PUT ${SOURCES}/{id}`, 200, { body: `${SOURCE_BODY} request_method^`, answer: SOURCE }),
  row('getEnvironments', 'GET /v1/environments', 200, {
    query: PAGE,
    answer: `data ${TOTALS} ${within('data[]', ENVIRONMENT)}`,
  }),
  row('getTenants', 'GET /v1/tenants', 200, {
    query: PAGE,
    answer: `inboxes ${TOTALS} ${within('inboxes[]', 'environment id name subdomain')}`,
  }),
  row('createTenant', 'POST /v1/tenants', 201, { body: 'environmentId name^ subdomain' }),
  row('createOrganization', 'POST /v1/organizations', 201, {
    body: 'address city country duns_number^ email name phone registration_number state website^ zip_code',
  }),
  row('getOAuth2Clients', `GET ${CLIENTS}`, 200, { query: PAGE }),
  row('createOAuth2Client', `POST ${CLIENTS}`, 201, { body: 'description name' }),
  row('updateOAuth2Client', `PUT ${CLIENTS}/{id}`, 200, { body: 'name^ reset_secret' }),
  // "register a new user" and "login a user"
  row('registerUser', 'POST /v1/auth/register', 201, { body: 'email first_name last_name middle_name^ password' }),
  row('loginUser', 'POST /v1/auth/login', 200, { body: 'email password', also: [401] }),
]

const POST = 'author_id category_id content excerpt image^ is_published title'

export const CONTENT_ROWS: Row[] = [
  row('getHelpArticles', 'GET /v1/help/articles', 200, { query: PAGE }),
  row('createBlogCategory', 'POST /v1/blog/categories', 201, { body: 'description name slug' }),
  row('updateBlogCategory', 'PUT /v1/blog/categories/{slug}', 200, { body: 'description name' }),
  row('createBlogPost', 'POST /v1/blog/posts', 201, { body: `${POST} slug` }),
  row('updateBlogPost', 'PUT /v1/blog/posts/{id}', 200, { body: POST }),
  row('createLegalPolicy', 'POST /v1/legal/policies', 201, { body: 'content name slug title' }),
]

const ECOSYSTEMS = '/v1/ecosystems'
const ONE = `${ECOSYSTEMS}/{ecosystemId}`
const PARTICIPANT = [
  'ecosystemId id name identifiers isIssuer isIssuerConstrained isVerified isVerifierConstrained',
  within('identifiers', 'compact? compactSemantic? mobile? sdJwtVc? webSemantic?'),
].join(' ')
const PARTICIPANT_BODY = 'identifiers isIssuer isIssuerConstrained isVerifier isVerifierConstrained name'
const CREDENTIAL = 'ecosystemId id name profile type'
const POLICY = [
  `credentials participants policyModifiedAt ${within('credentials[]', CREDENTIAL)}`,
  within('participants[]', `${PARTICIPANT} isIssuerAllowedCredentials? isVerifierAllowedCredentials?`),
].join(' ')

export const ECOSYSTEM_ROWS: Row[] = [
  row('getListOfEcosystems', `GET ${ECOSYSTEMS}`, 200, {
    query: PAGE,
    answer: `data ${TOTALS} data[].id data[].name`,
  }),
  row('createEcosystem', `POST ${ECOSYSTEMS}`, 201, { body: 'name' }),
  row('getListOfEcosystemParticipants', `GET ${ONE}/participants`, 200, {
    query: PAGE,
    answer: `data ${TOTALS} ${within('data[]', PARTICIPANT)}`,
  }),
  row('createEcosystemParticipant', `POST ${ONE}/participants`, 201, { body: PARTICIPANT_BODY }),
  row('getEcosystemParticipant', `GET ${ONE}/participants/{participantId}`, 200, {
    answer: `data ${TOTALS} ${within('data[]', PARTICIPANT)}`,
  }),
  row('getListOfEcosystemCredentials', `GET ${ONE}/credentials`, 200, {
    query: PAGE,
    answer: `data ${TOTALS} ${within('data[]', CREDENTIAL)}`,
  }),
  row('createEcosystemCredential', `POST ${ONE}/credentials`, 201, { body: 'name profile type' }),
  row('getEcosystemIssuer', `GET ${ONE}/issuers`, 200, { answer: POLICY }),
  row('getEcosystemVerifier', `GET ${ONE}/verifiers`, 200, { answer: POLICY }),
  ...(['issuer', 'verifier'] as const).flatMap((role) => {
    const name = role === 'issuer' ? 'Issuer' : 'Verifier'
    const path = `${ONE}/participants/{participantId}/${role}/credentials`
    return [
      row(`createEcosystem${name}`, `POST ${path}`, 201, { body: 'credentialId' }),
      row(`deleteEcosystem${name}`, `DELETE ${path}/{credentialId}`, 204),
    ]
  }),
]
