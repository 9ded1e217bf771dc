import {
  choice,
  type Fields,
  fieldErrors,
  id,
  integer,
  json,
  optional,
  text,
  time,
} from '../../../../protocol/administration/transfers/fields.ts'
import { KINDS, type KindName } from '../../../../protocol/administration/transfers/kinds.ts'
import { isDid } from '../../../../protocol/dids/index.ts'
import { type FieldError, pointerWithin, Refusal, Unavailable, within } from '../../../../protocol/errors.ts'
import { isObject, type Json } from '../../../../protocol/json.ts'
import { isLabel, LABEL_EXPECTED } from '../../../../protocol/names.ts'
import { leavesOf } from '../../../../protocol/openid/claims.ts'
import { checkProvider } from '../../../../protocol/openid/oid4vci/attestations/providers.ts'
import { checkPolicy } from '../../../../protocol/openid/oid4vci/authorization/policy.ts'
import { checkWallet } from '../../../../protocol/openid/oid4vci/authorization/wallets.ts'
import { checkProviderValues, readIssuer } from '../../../../protocol/openid/providers.ts'
import { checkClient } from '../../../../protocol/openid/verifiers/clients.ts'
import { checkMappings } from '../../../../protocol/openid/verifiers/values.ts'
import { SCOPES } from '../../../../protocol/tokens-logs/index.ts'
import { createClaimSourceReader } from '../../../claim-sources/lifecycle.ts'
import type { Dependencies } from '../../../dependencies.ts'
import { bundledOnly } from '../../../documents/index.ts'
import { domainNameOf } from '../../../domains/lifecycle.ts'
import { checkHook } from '../../../openid/configuration.ts'
import { checkedTemplate } from '../../../semantic-credentials/presentations/templates.ts'
import { checkEvents, webhookUrlOf } from '../../../webhooks/lifecycle.ts'
import { certificateOf } from '../certificates.ts'
import { filesOf } from '../pdf-files.ts'
import { definitionErrors } from './definitions.ts'
import { contextErrors, credentialErrors, didErrors, fault, lateErrors, oneOf } from './rows.ts'
import { trustListErrors } from './trust-lists.ts'

const label = (row: Json, member = 'name'): FieldError[] =>
  isLabel(String(row[member])) ? [] : [fault(member, 'text', LABEL_EXPECTED)]

const CURRENT: Fields = { id, version: integer(2_147_483_647, 1), createdAt: time, definition: json }

/** The type of a template's credentials; of SD-JWT VC, the `vct`. */
const typeOf = ({ type, vct }: Json): unknown => type ?? vct

const TERMS: Readonly<Record<string, Fields>> = {
  ApiKey: { kind: text(64), header: text(64) },
  OAuthClientCredentials: {
    kind: text(64),
    clientId: text(255),
    tokenEndpoint: text(2_048),
    method: text(64),
    audience: optional(text(2_048)),
    scope: optional(text(1_000)),
  },
}

/** The terms of an authorization as a caller gives them, with a secret that is none. */
function givenAuthorization(auth: Json): Json {
  if (auth.kind === 'ApiKey') return { ApiKey: { header: auth.header, value: 'none' } }
  const { clientId, tokenEndpoint, method, audience, scope } = auth
  return {
    OAuthClientCredentials: {
      client_id: clientId,
      client_secret: 'none',
      token_endpoint: tokenEndpoint,
      token_endpoint_auth_method: method,
      ...(audience !== undefined && { audience }),
      ...(scope !== undefined && { scope }),
    },
  }
}

type Parts = Pick<Dependencies, 'config' | 'documents' | 'now'>

/** Nobody gets a scope of operators by a file. */
const GRANTED: ReadonlySet<string> = new Set(SCOPES)

/** What the platform requires of a row besides its fields: the rules of the operation that creates it. */
export function createTransferRules({ config, documents, now }: Parts) {
  const { readInput } = createClaimSourceReader(config)

  const rules: { readonly [Kind in KindName]?: (row: Json, tenantId: string) => FieldError[] | Promise<FieldError[]> } =
    {
      contexts: contextErrors,
      dids: didErrors,
      domains(row) {
        const errors = label(row)
        return domainNameOf(config, String(row.domain)) === row.domain
          ? errors
          : [...errors, fault('domain', 'name', 'expected the domain in ASCII and lower case')]
      },
      iacas: ({ certificate }) => {
        certificateOf(certificate)
        return []
      },
      documentSigners(row) {
        if ((row.certificate ?? null) === null && (row.csr ?? null) === null)
          return [fault('certificate', 'required', 'expected a certificate, or the request for one')]
        if (typeof row.certificate === 'string') certificateOf(row.certificate)
        return []
      },
      credentialTemplates({ format, current, type }) {
        const shape = fieldErrors(CURRENT, current).map((error) => ({
          ...error,
          path: error.path.replace(/^row/, 'current'),
        }))
        if (shape.length > 0 || !isObject(current)) return shape
        const errors = definitionErrors(String(format), current.definition, 'current.definition', now())
        return errors.length === 0 && isObject(current.definition) && typeOf(current.definition) !== type
          ? [fault('type', 'type', 'expected the type of the current version')]
          : errors
      },
      credentialTemplateVersions: ({ format, definition }) =>
        definitionErrors(String(format), definition, 'definition', now()),
      async pdfTemplates({ definition, files }, tenantId) {
        const { pdf, fonts, errors } = filesOf(files)
        if (!pdf || errors.length > 0) return errors
        await documents.readPdfTemplate({ members: definition, pdf, fonts }, bundledOnly(tenantId))
        return []
      },
      presentationTemplates({ name, domain, query, trustedContexts }) {
        checkedTemplate({
          name: String(name),
          domain: String(domain),
          query,
          trustedContexts: (trustedContexts ?? null) as never,
        })
        return []
      },
      webhooks({ url, events }) {
        checkEvents(events as string[])
        return webhookUrlOf(config, String(url)) === url
          ? []
          : [fault('url', 'url', 'expected the URL as it is stored')]
      },
      claimSources({ name, url, requestMethod, requestParameters, auth }) {
        const held = (auth ?? null) as Json | null
        const shape =
          held === null ? [] : fieldErrors(TERMS[String(held.kind)] ?? { kind: choice(...Object.keys(TERMS)) }, held)
        if (shape.length > 0) return shape.map((error) => ({ ...error, path: error.path.replace(/^row/, 'auth') }))
        readInput({
          name: String(name),
          url: String(url),
          requestMethod: requestMethod as 'GET' | 'POST',
          requestParameters,
          authorization: held === null ? null : givenAuthorization(held),
        })
        return []
      },
      authenticationProviders({ url, ...values }) {
        readIssuer(String(url))
        const { clientId, scope, claimsToPersist, forwardedParameters, staticParameters, authMethod } = values as never
        checkProviderValues({ clientId, scope, claimsToPersist, forwardedParameters, staticParameters, authMethod })
        return []
      },
      interactionHooks(row) {
        checkHook(config, row as never)
        return []
      },
      wallets({ name, clientId, redirectUris, jwks }) {
        checkWallet({ name, clientId, redirectUris, jwks: jwks ?? undefined } as never)
        return []
      },
      walletProviders({ name, issuer, attestsWallets, attestsKeys, clientIds, redirectUris, certificates, jwks }) {
        const attests = [...(attestsWallets ? ['wallets'] : []), ...(attestsKeys ? ['keys'] : [])]
        const lists = { clientIds: clientIds ?? [], redirectUris: redirectUris ?? [] }
        const optionals = { issuer: issuer ?? undefined, ...lists, jwks: jwks ?? undefined }
        checkProvider({ name, attests, certificates, ...optionals } as never)
        return []
      },
      walletPolicies({ keyStorage, userAuthentication, batchSize, reissueDays }) {
        const given = { keyStorage, userAuthentication, batchSize, reissueDays }
        // a stored policy keeps what the tenant chose before its profile
        checkPolicy(Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? null) !== null)), null)
        return []
      },
      trustLists: (row) => trustListErrors(row, { now: now(), outbound: config.outbound }),
      users({ claims, subjectId }) {
        if (!isObject(claims)) return [fault('claims', 'object', 'expected an object')]
        leavesOf(claims)
        return String(subjectId) === '' ? [fault('subjectId', 'required', 'expected a value')] : []
      },
      verifiers({ claimMappings, verifierDid }) {
        // the template may have asked for SD-JWT VCs when the verifier was stored
        checkMappings(claimMappings as never, true)
        return isDid(String(verifierDid)) ? [] : [fault('verifierDid', 'did', 'expected a DID')]
      },
      verifierClients(row) {
        checkClient({ ...row, logoUri: row.logoUri ?? null } as never)
        return []
      },
      inboxes: (row) => label(row),
      inboxDids: ({ did }) => (isDid(String(did)) ? [] : [fault('did', 'did', 'expected a DID')]),
      clients(row) {
        const unknown = (row.scopes as string[]).findIndex((scope) => !GRANTED.has(scope))
        return [
          ...label(row),
          ...(unknown < 0 ? [] : [fault(within('scopes', unknown), 'scope', 'expected a scope that a tenant grants')]),
        ]
      },
      statusLists: (row) => [
        ...oneOf(row, 'didId', 'iacaId'),
        ...(Number(row.used) <= Number(row.size) ? [] : [fault('used', 'range', 'expected at most the size')]),
      ],
      credentials: credentialErrors,
    }

  /** Every breach of the rules by a row, with paths in its line. Throws `Unavailable`. */
  return async (kind: KindName, row: unknown, tenantId: string): Promise<FieldError[]> => {
    const wrong = fieldErrors(KINDS[kind].fields, row)
    if (wrong.length > 0) return wrong
    const late = lateErrors(row as Json, now())
    if (late.length > 0) return late
    try {
      const errors = (await rules[kind]?.(row as Json, tenantId)) ?? []
      return errors.map((error) => ({ ...error, path: pointerWithin('row', `row.${error.path}`) }))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      if (!(error instanceof Refusal))
        // a library or a rule met a document of a form that no operation lets in
        return [fault('row', 'form', 'expected a row as an export writes it')]
      return error.errors.length > 0
        ? error.errors.map((each) => ({ ...each, path: `row.${pointerWithin('', each.path)}` }))
        : [fault('row', error.code, error.message)]
    }
  }
}

export type TransferRules = ReturnType<typeof createTransferRules>
