import {
  bytes,
  choice,
  type Fields,
  flag,
  id,
  integer,
  json,
  optional,
  reference,
  text,
  texts,
  time,
} from './fields.ts'

/** How a kind of rows stands in the file. */
export interface KindOfRows {
  fields: Fields
  /** Rows that a tenant can have. */
  most?: number
}

const FORMATS = ['semantic', 'compact', 'compact-semantic', 'mobile', 'sd-jwt-vc']

const dated = { id, createdAt: time }
const changed = { ...dated, updatedAt: time }

/**
 * The kinds in the order of the file: a row comes after those that it names. Members have the names of docs/transfers.md;
 * secrets and private keys are in none of them.
 */
export const KINDS = {
  settings: {
    most: 1,
    fields: {
      fetchUnknownContexts: flag,
      vcApi: flag,
      requireChallenge: flag,
      requireDomain: flag,
      envelopedStatusLists: optional(flag),
      logRetentionDays: optional(integer(36_500, 1)),
    },
  },
  contexts: {
    fields: {
      ...dated,
      url: text(2_048),
      sha256: text(64),
      document: text(1_048_576),
      source: choice('registered', 'fetched'),
    },
  },
  dids: {
    fields: {
      ...dated,
      did: text(2_048),
      method: choice('KEY', 'WEB'),
      document: json,
      hosting: choice('platform', 'caller', 'none'),
      host: optional(text(255)),
      path: optional(text(2_048)),
      isDefaultIssuer: flag,
    },
  },
  domains: { most: 200, fields: { ...dated, name: text(255), domain: text(255), isVerified: flag } },
  iacas: { fields: { ...changed, active: flag, certificate: bytes(65_536), deletedAt: optional(time) } },
  documentSigners: {
    fields: {
      ...changed,
      iacaId: reference('iacas'),
      publicKey: bytes(256),
      certificate: optional(bytes(65_536)),
      csr: optional(bytes(65_536)),
      revokedAt: optional(time),
      deletedAt: optional(time),
    },
  },
  credentialTemplates: {
    fields: {
      ...dated,
      format: choice(...FORMATS),
      type: text(1_024),
      /** The current version: `id`, `version`, `createdAt`, `definition`. */
      current: json,
      deletedAt: optional(time),
    },
  },
  credentialTemplateVersions: {
    fields: {
      ...dated,
      templateId: reference('credentialTemplates'),
      format: choice(...FORMATS),
      version: integer(2_147_483_647, 1),
      definition: json,
    },
  },
  pdfTemplates: { most: 100, fields: { ...changed, definition: json, files: json } },
  presentationTemplates: {
    fields: { ...changed, name: text(255), domain: text(2_048), query: json, trustedContexts: optional(json) },
  },
  webhooks: {
    most: 50,
    fields: { ...changed, url: text(2_048), events: texts(100, 255), disabled: flag, hasSecret: flag },
  },
  claimSources: {
    most: 100,
    fields: {
      ...changed,
      name: text(255),
      url: text(2_048),
      requestMethod: choice('GET', 'POST'),
      requestParameters: json,
      auth: optional(json),
    },
  },
  authenticationProviders: {
    most: 20,
    fields: {
      ...changed,
      url: text(2_048),
      clientId: text(255),
      scope: texts(100, 255),
      claimsToPersist: texts(100, 255),
      forwardedParameters: texts(100, 255),
      staticParameters: json,
      authMethod: choice('client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'),
    },
  },
  interactionHooks: {
    most: 1,
    fields: {
      ...changed,
      url: text(2_048),
      claims: texts(50, 255),
      disabled: flag,
      sessionTimeoutSeconds: integer(Number.MAX_SAFE_INTEGER),
    },
  },
  wallets: {
    fields: { ...changed, clientId: text(255), name: text(200), redirectUris: texts(20, 2_048), jwks: optional(json) },
  },
  walletProviders: {
    most: 100,
    fields: {
      ...changed,
      name: text(200),
      issuer: optional(text(500)),
      attestsWallets: flag,
      attestsKeys: flag,
      clientIds: optional(texts(100, 255)),
      redirectUris: optional(texts(20, 2_000)),
      certificates: texts(10, 32_768),
      jwks: optional(json),
    },
  },
  walletPolicies: {
    most: 1,
    fields: {
      ...changed,
      requiresPar: flag,
      requiresDpop: flag,
      requiresClientAuthentication: flag,
      allowsWalletInitiated: flag,
      requiresEncryption: optional(flag),
      signsMetadata: optional(flag),
      requiresWalletAttestation: optional(flag),
      requiresKeyAttestation: optional(flag),
      keyStorage: optional(texts(20, 500)),
      userAuthentication: optional(texts(20, 500)),
      batchSize: optional(integer(20, 1)),
      reissueDays: optional(integer(730)),
      profile: optional(choice('haip')),
    },
  },
  trustLists: {
    most: 20,
    fields: {
      ...changed,
      name: text(255),
      formats: texts(5, 64),
      attests: optional(texts(2, 64)),
      enforced: flag,
      entries: json,
      source: optional(json),
      facts: optional(json),
      staleAt: optional(time),
    },
  },
  users: {
    fields: { ...changed, providerId: reference('authenticationProviders'), subjectId: text(4_096), claims: json },
  },
  verifiers: {
    most: 50,
    fields: {
      ...changed,
      verifierDid: text(2_048),
      presentationTemplateId: reference('presentationTemplates'),
      includePresentation: flag,
      claimMappings: json,
      certificateChain: optional(texts(10, 16_384)),
      requestUriMethod: optional(choice('get', 'post')),
    },
  },
  verifierClients: {
    fields: {
      ...changed,
      verifierId: reference('verifiers'),
      name: text(255),
      applicationType: choice('web', 'native'),
      redirectUris: texts(20, 2_048),
      grantTypes: texts(10, 255),
      responseTypes: texts(10, 255),
      tokenEndpointAuthMethod: text(64),
      idTokenSignedResponseAlg: text(16),
      logoUri: optional(text(2_048)),
    },
  },
  inboxes: { fields: { ...dated, name: text(255) } },
  inboxDids: { fields: { ...dated, inboxId: reference('inboxes'), did: text(2_048), didId: reference('dids') } },
  clients: {
    fields: { ...changed, name: text(255), description: text(2_048), scopes: texts(200, 255) },
  },
  statusLists: {
    fields: {
      ...dated,
      didId: optional(reference()),
      iacaId: optional(reference('iacas')),
      kind: choice('RevocationList2020', 'BitstringStatusList', 'BitIndexRevocationList', 'TokenStatusList'),
      purpose: choice('revocation', 'suspension'),
      proofType: text(255),
      size: integer(16_777_216, 1),
      used: integer(16_777_216),
      changes: integer(),
    },
  },
  credentials: {
    fields: {
      ...dated,
      didId: optional(reference()),
      documentSignerId: optional(reference('documentSigners')),
      format: choice(...FORMATS),
      document: optional(json),
      documentBytes: optional(bytes(8_388_608)),
      envelope: optional(text(1_000_000)),
      proofType: text(255),
      tag: optional(text(255)),
      types: texts(64, 2_048),
      issuanceDate: time,
      expirationDate: optional(time),
      statusListId: optional(reference('statusLists')),
      statusIndex: optional(integer(16_777_215)),
      revoked: flag,
      suspensionListId: optional(reference('statusLists')),
      suspensionIndex: optional(integer(16_777_215)),
      suspended: flag,
      statusChangedAt: optional(time),
      templateId: optional(reference('credentialTemplates')),
      templateVersion: optional(integer(2_147_483_647, 1)),
      erasedAt: optional(time),
      statusChanges: json,
    },
  },
  credentialHolders: { fields: { holderId: reference('users'), credentialId: reference('credentials') } },
} as const satisfies Record<string, KindOfRows>

export type KindName = keyof typeof KINDS

export const KIND_NAMES = Object.keys(KINDS) as KindName[]

export const isKind = (name: unknown): name is KindName => typeof name === 'string' && Object.hasOwn(KINDS, name)

/** What a row needs that stayed behind, or must be proved again: the operation that gives it, and the scope of the tenant's. */
export const NEEDS = {
  dids: { what: 'keys', operation: 'createDID' },
  domains: { what: 'verification', operation: 'verifyDomain' },
  iacas: { what: 'key', operation: 'createMobileCredentialsIaca' },
  documentSigners: { what: 'key', operation: 'createMobileCredentialsDocumentSigner' },
  webhooks: { what: 'secret', operation: 'updateWebhook' },
  claimSources: { what: 'secret', operation: 'updateClaimSource' },
  authenticationProviders: { what: 'secret', operation: 'updateAuthenticationProvider' },
  interactionHooks: { what: 'secret', operation: 'getOpenIDConfiguration' },
  verifiers: { what: 'keys', operation: 'rotateOidcVerifierKeys' },
  verifierClients: { what: 'secret', operation: 'updateOidcVerifierClient' },
  clients: { what: 'secret', operation: 'updateOAuth2Client' },
} as const satisfies Partial<Record<KindName, { what: string; operation: string }>>

export type NeedKind = keyof typeof NEEDS

/** A row that is there, and cannot do what it is for before an operation of the tenant gives it something. */
export interface Need {
  kind: NeedKind
  id: string
  /** A DID, an address or a name. */
  name: string
  /** What it lacks. */
  what: (typeof NEEDS)[NeedKind]['what']
  operation: (typeof NEEDS)[NeedKind]['operation']
}
