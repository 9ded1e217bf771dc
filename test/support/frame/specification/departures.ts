/** Of several members the same difference. */
const each = (names: string, difference: (name: string) => string, reason: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [difference(name), reason]))

const notRequired = (name: string) => `body: ${name} is not required`
const notNamed = (name: string) => `answer: ${name} is not named`

const BOTH_CASINGS = 'D-465: a request has the names of the standard or these, and gets its answer in the same'

/** Where the API differs from the specification on purpose: the difference, and the decision about it. */
export const DEPARTURES: Record<string, Record<string, string>> = {
  signWebSemanticCredential: { 'body: tag is not required': 'D-047: it is described as optional' },
  updateWebSemanticPresentationTemplate: {
    'body: id is missing': 'D-258: it is accepted, and the document names what a client should send',
  },
  encryptCredentials: { 'body: senderDidUrl is not required': 'D-398: without it the message is anonymous' },
  getOpenIdConfiguration: {
    ...each('clientId clientSecret code grantType redirectUri', notRequired, BOTH_CASINGS),
    ...each('accessToken expiresIn idToken refreshToken tokenType', notNamed, BOTH_CASINGS),
  },
  exchangeCredentials: {
    ...each('clientId code codeVerifier grantType redirectUri', notRequired, BOTH_CASINGS),
    ...each('accessToken expiresIn scope tokenType', notNamed, BOTH_CASINGS),
  },
  createAuthenticationProvider: {
    'body: client_secret is not required': 'D-448: a client that signs its requests, or is public, has none',
  },
  updateAuthenticationProvider: each(
    'client_id client_secret',
    notRequired,
    'D-694: what an update leaves out stays as it is',
  ),
  createOpenIdConfiguration: {
    'body: requestedParameters is not required': 'D-506: without a login they mean nothing',
  },
  createClaimSource: { 'body: request_method is not required': 'D-435: it has a default in the same sentence' },
}
