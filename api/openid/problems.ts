import type { ProblemTable } from '../frame/openapi/document.ts'

/** Authentication providers, users and the interaction hook. */
export const OPENID_PROBLEMS: ProblemTable = {
  400: {
    'authentication.claims_too_large': {
      meaning: 'The claims about a holder are too large, too deep or too many.',
      remedy:
        'Request fewer scopes from the provider with updateAuthenticationProvider; the limits are in the detail. The answer of an interaction hook has the same limits.',
    },
    'authentication.invalid_answer': {
      meaning: 'What an authentication provider answered is not valid: errors has the code of the broken rule.',
      remedy:
        'Begin the authentication again. If it fails again, compare client_id, client_secret and token_endpoint_auth_method of the provider with what it has registered, and its clock with ours.',
    },
    'authentication.invalid_parameter': {
      meaning: 'A parameter of the holder’s request cannot be forwarded to the authentication provider.',
      remedy: 'Send the parameter that errors names as a text of at most 2,000 characters, or leave it out.',
    },
    'authentication.not_under_way': {
      meaning: 'No authentication with this state is under way: it ended, was used already, or never began.',
      remedy: 'Begin the authentication again. A holder has 15 minutes, and each state works once.',
    },
    'authentication.refused': {
      meaning: 'The authentication provider did not identify the holder.',
      remedy:
        'The code in errors is the provider’s own. Let the holder begin again, or look into the log of the provider.',
    },
    'authentication_provider.invalid': {
      meaning: 'A value of the authentication provider cannot be used; errors names each place and rule.',
      remedy: 'Correct each member as its message says.',
    },
    'authentication_provider.unreachable': {
      meaning: 'The issuer of the authentication provider does not answer.',
      remedy:
        'Check the url: its host needs a public address, a valid certificate and no redirect. The operator of the platform sets OUTBOUND_CA_FILE and OUTBOUND_ALLOWED_RANGES for a network of its own.',
    },
    'authentication_provider.unsuitable': {
      meaning: 'The metadata of the authentication provider is not valid, of another issuer, or lacks what is needed.',
      remedy:
        'Send as url exactly the issuer of /.well-known/openid-configuration. The provider must support the code flow, PKCE with S256 (or say nothing of PKCE), and the token_endpoint_auth_method.',
    },
    'interaction.invalid_answer': {
      meaning: 'The JWT of the interaction hook is not valid; errors names the claim or rule.',
      remedy:
        'Sign with the secret of updateOpenIDConfiguration, in the form of docs/openid.md, and answer each session once.',
    },
    'openid_configuration.invalid': {
      meaning: 'A value of the interaction hook cannot be used; errors names each place and rule.',
      remedy: 'Send an https URL with a host name that can be called from the internet, and each claim once.',
    },
  },
  404: {
    'authentication_provider.not_found': {
      meaning: 'The tenant has no such authentication provider.',
      remedy: 'Take the id from listAuthenticationProvider, with a token of the tenant that created the provider.',
    },
    'openid_configuration.not_found': {
      meaning: 'The tenant has no interaction hook.',
      remedy: 'Set one with updateOpenIDConfiguration.',
    },
    'user.not_found': {
      meaning: 'The tenant has no such user, or none that matches the search.',
      remedy:
        'Take the id from retrieveListOfUsers. A search finds claims of claims_to_persist only, by their exact value.',
    },
  },
  409: {
    'authentication_provider.changed': {
      meaning: 'Another request changed the authentication provider at the same time.',
      remedy: 'Read it with getAuthenticationProvider, then repeat updateAuthenticationProvider.',
    },
    'authentication_provider.secret_absent': {
      meaning: 'The authentication provider came with its tenant from another platform, and its secret or key did not.',
      remedy: 'Set client_secret, or token_endpoint_auth_method again, with updateAuthenticationProvider.',
    },
    'authentication_provider.too_many': {
      meaning: 'The tenant has as many authentication providers as it can have.',
      remedy: 'Change one of them with updateAuthenticationProvider.',
    },
    'openid_configuration.disabled': {
      meaning: 'The interaction hook is disabled.',
      remedy: 'Enable it with updateOpenIDConfiguration (disabled: false).',
    },
  },
}
