// The contract of each workflow, for both sides: the activities that start and signal it, and the workflow itself. A
// workflow, signal or query that is not declared here does not compile on either side. A new workflow needs an entry in
// `StartedWorkflows` and `workflows`, or in `ScheduledWorkflows` and `schedules` if the clock starts it.

import type { MailSubject } from './administration/accounts/mails.ts'
import type { ErasureRun } from './administration/privacy/erasures.ts'
import type { RetentionCursor } from './administration/privacy/retention.ts'
import type { ReconcileRun } from './administration/reconcile.ts'
import type { DeletionRun } from './administration/tenants/deletion.ts'
import type { TenantSubject } from './administration/tenants/provisioning.ts'
import type { ExportSubject, ImportSubject } from './administration/transfers/work.ts'
import type {
  BatchProgress,
  BatchRun,
  BatchSubject,
  NotificationRun,
  NotificationSubject,
  RevocationProgress,
  RevocationRun,
  RevocationSubject,
} from './credentials/work.ts'
import type { DomainLook, DomainRun, DomainSubject } from './domains/look.ts'
import type { MessageSubject } from './messaging/outgoing.ts'
import type { SessionRun, SessionSubject } from './openid/oid4vci/session.ts'
import type { PresentationSubject } from './openid/presentations/requests.ts'
import type { DeliverySubject } from './webhooks/delivery.ts'

/** Areas that have workflows, as operators search by them. */
export type WorkflowArea =
  | 'administration'
  | 'dids'
  | 'domains'
  | 'messaging'
  | 'mobile-credentials'
  | 'openid'
  | 'semantic-credentials'
  | 'tokens-logs'
  | 'trust-lists'
  | 'webhooks'

export interface DidSubject {
  tenantId: string
  didId: string
}

/** How often, and for how long, the platform checks whether a did:web resolves. */
export interface WebDidPatience {
  checkSeconds: number
  /** May be a fraction of a day. */
  patienceDays: number
}

export interface PublishedLists {
  signed: number
  failed: number
}

type Nothing = Record<never, never>

/** Does what its row says, and ends. */
interface Simple<Subject, About extends unknown[] = [], Run = Subject> {
  subject: Subject
  payload: Run
  about: About
  signal: never
  queries: Nothing
  updates: Nothing
}

/**
 * Workflows that a row starts through the outbox. `subject` identifies the row; `payload` is the workflow's only
 * argument, plain JSON; `about` has further values for the summary and for `others`; `signal` names the signals, which have no payload:
 * the row has the change; `queries` has the type of each result, and so have `updates`, which have no payload either.
 */
interface StartedWorkflows {
  provisionTenant: Simple<TenantSubject>
  deleteTenant: {
    subject: TenantSubject
    payload: DeletionRun
    about: []
    signal: never
    queries: Nothing
    updates: Nothing
  }
  exportTenant: Simple<ExportSubject>
  importTenant: Simple<ImportSubject>
  registerWebDid: {
    subject: DidSubject
    payload: DidSubject & Partial<WebDidPatience>
    about: [{ did: string }]
    signal: 'lookNow'
    queries: Nothing
    updates: Nothing
  }
  deleteDid: Simple<DidSubject, [{ did: string }]>
  verifyDomain: {
    subject: DomainSubject
    payload: DomainRun
    about: [{ domain: string }]
    signal: 'changed'
    queries: Nothing
    updates: { lookNow: DomainLook }
  }
  signBatch: {
    subject: BatchSubject
    payload: BatchRun
    about: [{ templateId: string | null; issuers: readonly string[] }]
    signal: 'changed'
    queries: { progress: BatchProgress }
    updates: Nothing
  }
  revokeCredentials: {
    subject: RevocationSubject
    payload: RevocationRun
    about: [{ scope: string; subject: string }]
    signal: never
    queries: { progress: RevocationProgress | undefined }
    updates: Nothing
  }
  erasePerson: Simple<ErasureRun>
  issueOpenIdCredentials: {
    subject: SessionSubject
    payload: SessionRun
    about: [{ templateIds: readonly string[] }]
    signal: 'changed'
    queries: Nothing
    updates: { proceed: undefined }
  }
  expirePresentation: Simple<PresentationSubject>
  deliverMail: Simple<MailSubject>
  deliverMessage: Simple<MessageSubject>
  notifyStatus: Simple<NotificationSubject, [{ credentialId: string }], NotificationRun>
  deliverWebhook: Simple<DeliverySubject>
}

/** Workflows that Temporal starts by the clock without a payload; only one that continues as a new run has one. */
interface ScheduledWorkflows {
  publishStatusLists: { payload: undefined; signal: never; queries: { progress: PublishedLists } }
  purgeExpired: { payload: undefined; signal: never; queries: Nothing }
  reconcileWork: { payload: ReconcileRun | undefined; signal: never; queries: Nothing }
  reapKeys: { payload: undefined; signal: never; queries: Nothing }
  rotateTokenKeys: { payload: undefined; signal: never; queries: Nothing }
  signLogHeads: { payload: undefined; signal: never; queries: Nothing }
  removeOldLogEntries: { payload: undefined; signal: never; queries: Nothing }
  rotateWebhookKeys: { payload: undefined; signal: never; queries: Nothing }
  rotateVerifierKeys: { payload: undefined; signal: never; queries: Nothing }
  refreshTrustLists: { payload: undefined; signal: never; queries: Nothing }
  sweepCertificates: { payload: undefined; signal: never; queries: Nothing }
  eraseExpired: { payload: RetentionCursor | undefined; signal: never; queries: Nothing }
}

interface Contract extends StartedWorkflows, ScheduledWorkflows {}

export type StartedType = keyof StartedWorkflows
export type ScheduledType = keyof ScheduledWorkflows
export type WorkflowType = keyof Contract

export type Subject<Type extends StartedType> = Contract[Type]['subject']
export type About<Type extends StartedType> = Contract[Type]['about']
export type Payload<Type extends WorkflowType> = Contract[Type]['payload']
export type SignalName<Type extends WorkflowType> = Contract[Type]['signal']
export type QueryName<Type extends WorkflowType> = keyof Contract[Type]['queries'] & string
export type QueryAnswer<Type extends WorkflowType, Name extends QueryName<Type>> = Contract[Type]['queries'][Name]

export type UpdateName<Type extends StartedType> = keyof StartedWorkflows[Type]['updates'] & string
export type UpdateAnswer<
  Type extends StartedType,
  Name extends UpdateName<Type>,
> = StartedWorkflows[Type]['updates'][Name]

export interface StartedWorkflow<Type extends StartedType> {
  area: WorkflowArea
  /** Id of the workflow's row. */
  objectId(subject: Subject<Type>): string
  /** Ids and DIDs of other objects that an operator finds the workflow by. Temporal gets digests of the DIDs. */
  others(...about: About<Type>): readonly string[]
  /** The idempotency key, so that repeated starts do the work once, and the address for signals. */
  id(subject: Subject<Type>): string
  /** One line for operators, without personal data: Temporal stores it in plain text. */
  summary(payload: Payload<Type>, ...about: About<Type>): string
}

export const workflows: { readonly [Type in StartedType]: StartedWorkflow<Type> } = {
  provisionTenant: {
    area: 'administration',
    objectId: ({ subjectTenantId }) => subjectTenantId,
    others: () => [],
    id: ({ tenantId, subjectTenantId }) => `${tenantId}/administration/tenants/${subjectTenantId}/provision`,
    summary: ({ subjectTenantId }) => `provision tenant ${subjectTenantId}`,
  },
  deleteTenant: {
    area: 'administration',
    objectId: ({ subjectTenantId }) => subjectTenantId,
    others: () => [],
    id: ({ tenantId, subjectTenantId }) => `${tenantId}/administration/tenants/${subjectTenantId}/delete`,
    summary: ({ subjectTenantId }) => `delete tenant ${subjectTenantId}`,
  },
  exportTenant: {
    area: 'administration',
    objectId: ({ exportId }) => exportId,
    others: () => [],
    id: ({ tenantId, exportId }) => `${tenantId}/administration/exports/${exportId}`,
    summary: ({ exportId }) => `export ${exportId}: write the file of a tenant`,
  },
  importTenant: {
    area: 'administration',
    objectId: ({ importId }) => importId,
    others: () => [],
    id: ({ tenantId, importId }) => `${tenantId}/administration/imports/${importId}`,
    summary: ({ importId }) => `import ${importId}: check and write the rows of a tenant`,
  },
  registerWebDid: {
    area: 'dids',
    objectId: ({ didId }) => didId,
    others: ({ did }) => [did],
    id: ({ tenantId, didId }) => `${tenantId}/dids/${didId}/register`,
    summary: ({ didId }) => `register did:web ${didId}`,
  },
  deleteDid: {
    area: 'dids',
    objectId: ({ didId }) => didId,
    others: ({ did }) => [did],
    id: ({ tenantId, didId }) => `${tenantId}/dids/${didId}/delete`,
    summary: ({ didId }) => `destroy the keys and rows of DID ${didId}`,
  },
  verifyDomain: {
    area: 'domains',
    objectId: ({ domainId }) => domainId,
    others: ({ domain }) => [domain],
    id: ({ tenantId, domainId, attempt }) => `${tenantId}/domains/${domainId}/verify/${attempt}`,
    summary: ({ domainId }) => `verify domain ${domainId}`,
  },
  signBatch: {
    area: 'semantic-credentials',
    objectId: ({ batchId }) => batchId,
    others: ({ templateId, issuers }) => [...(templateId === null ? [] : [templateId]), ...issuers],
    id: ({ tenantId, batchId }) => `${tenantId}/semantic-credentials/batches/${batchId}`,
    summary: ({ batchId, total }) => `sign batch ${batchId}: ${total} rows`,
  },
  revokeCredentials: {
    area: 'semantic-credentials',
    objectId: ({ revocationId }) => revocationId,
    others: ({ subject }) => [subject],
    id: ({ tenantId, revocationId }) => `${tenantId}/semantic-credentials/revocations/${revocationId}`,
    summary: (_run, { scope, subject }) => `revoke the credentials of ${scope} ${subject.slice(0, 100)}`,
  },
  erasePerson: {
    area: 'administration',
    objectId: ({ erasureId }) => erasureId,
    others: () => [],
    id: ({ tenantId, erasureId, round }) => `${tenantId}/administration/erasures/${erasureId}/${round}`,
    summary: ({ erasureId }) => `erase a person: ${erasureId}`,
  },
  issueOpenIdCredentials: {
    area: 'openid',
    objectId: ({ sessionId }) => sessionId,
    others: ({ templateIds }) => templateIds,
    id: ({ tenantId, sessionId }) => `${tenantId}/openid/sessions/${sessionId}`,
    summary: ({ sessionId }) => `session ${sessionId}: waits for a wallet`,
  },
  expirePresentation: {
    area: 'openid',
    objectId: ({ presentationId }) => presentationId,
    others: () => [],
    id: ({ tenantId, presentationId }) => `${tenantId}/openid/presentations/${presentationId}`,
    summary: ({ presentationId }) => `request for credentials ${presentationId}: ends when its time is over`,
  },
  deliverMail: {
    area: 'administration',
    objectId: ({ mailId }) => mailId,
    others: () => [],
    id: ({ tenantId, mailId }) => `${tenantId}/administration/mails/${mailId}`,
    summary: ({ mailId }) => `send mail ${mailId}`,
  },
  deliverMessage: {
    area: 'messaging',
    objectId: ({ sentId }) => sentId,
    others: () => [],
    id: ({ tenantId, sentId }) => `${tenantId}/messaging/sent/${sentId}`,
    summary: ({ sentId }) => `deliver message ${sentId}`,
  },
  notifyStatus: {
    area: 'semantic-credentials',
    objectId: ({ notificationId }) => notificationId,
    others: ({ credentialId }) => [credentialId],
    id: ({ tenantId, notificationId }) => `${tenantId}/semantic-credentials/notifications/${notificationId}`,
    summary: (_run, { credentialId }) => `send a holder the status of credential ${credentialId}`,
  },
  deliverWebhook: {
    area: 'webhooks',
    objectId: ({ deliveryId }) => deliveryId,
    others: () => [],
    id: ({ tenantId, webhookId, eventId, round }) =>
      `${tenantId}/webhooks/${webhookId}/${eventId}${round === 0 ? '' : `/${round}`}`,
    summary: ({ webhookId, eventId }) => `deliver event ${eventId} to webhook ${webhookId}`,
  },
}
